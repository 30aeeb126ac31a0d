// Runs the tests, all suites or some, and closes with a count of them.
//
//   node scripts/test.mjs                     every suite, sampled: fits in 15 minutes
//   node scripts/test.mjs --full              every crash point and long loop, too
//   node scripts/test.mjs --only rust,js      these suites
//
// A suite that fails does not keep the next from running. One that crashes, or runs no test at all,
// has failed.

import { setup } from './setup.mjs';
import { main, Stop, say } from './shell.mjs';
import { packageBuild } from './test/build.mjs';
import { e2e, js } from './test/js.mjs';
import { lint } from './test/lint.mjs';
import { packages } from './test/package.mjs';
import { rust } from './test/rust.mjs';
import { rustInBrowsers } from './test/rust-browser.mjs';

/**
 * The suites in the order they run. `needs` is what set-up must provide; `run` yields one
 * `{ name, passed, failed, skipped }` for each of its parts.
 */
const suites = {
  build: { needs: 'build', run: packageBuild },
  lint: { needs: 'build', run: lint },
  rust: { needs: 'npm', run: rust },
  'rust-browser': { needs: 'test', run: rustInBrowsers },
  js: { needs: 'js', run: js },
  e2e: { needs: 'test', run: e2e },
  package: { needs: 'package', run: packages },
};

/** These test what `build` makes. */
const onTheBuild = ['lint', 'js', 'e2e', 'package'];

await main(async () => {
  const { chosen, full } = parse(process.argv.slice(2));
  if (full) process.env.SQLITE_VFS_KIT_FULL = '1';
  for (const use of new Set(chosen.map((name) => suites[name].needs))) await setup(use);

  const results = [];
  for (const suite of chosen) {
    say(`\n━━ ${suite}`);
    let started = Date.now();
    for await (const part of parts(suite)) {
      results.push({ ...asked(part), seconds: (Date.now() - started) / 1000 });
      started = Date.now();
    }
  }
  return report(results);
});

/** The results of a suite; what it throws is a result as well, so that the next suite gets its turn. */
async function* parts(suite) {
  try {
    yield* suites[suite].run();
  } catch (error) {
    console.error(error);
    yield { name: suite, failed: 1, trouble: error.message };
  }
}

function parse(args) {
  let only = null;
  let full = false;
  for (let i = 0; i < args.length; i++) {
    if (args[i] === '--full') full = true;
    else if (args[i] === '--only' && args[i + 1]) only = args[++i].split(',');
    else throw new Stop('usage: node scripts/test.mjs [--full] [--only suite,suite]');
  }
  const unknown = only?.find((name) => !(name in suites));
  if (unknown) throw new Stop(`no suite ${unknown}; there are ${Object.keys(suites).join(', ')}`);
  const names = new Set(only ?? Object.keys(suites));
  if (onTheBuild.some((name) => names.has(name))) names.add('build');
  return { chosen: Object.keys(suites).filter((name) => names.has(name)), full };
}

/** A run of nothing is not a success. */
function asked(part) {
  const { name, passed = 0, failed = 0, skipped = 0, trouble = '' } = part;
  if (passed + failed > 0) return { name, passed, failed, skipped, trouble };
  return { name, passed, failed: 1, skipped, trouble: trouble || 'ran no test' };
}

function report(results) {
  const width = Math.max(...results.map(({ name }) => name.length));
  say(`\n━━ results\n\n${' '.repeat(width)}   passed  failed  skipped      time`);
  for (const { name, passed, failed, skipped, seconds, trouble } of results) {
    const numbers = [passed, failed, skipped].map((n) => String(n).padStart(8)).join('');
    say(`${name.padEnd(width)} ${numbers} ${seconds.toFixed(1).padStart(9)} s  ${trouble}`);
  }
  const total = (key) => results.reduce((sum, result) => sum + result[key], 0);
  say(`\n${total('passed')} passed, ${total('failed')} failed`);
  return total('failed') > 0 ? 1 : 0;
}
