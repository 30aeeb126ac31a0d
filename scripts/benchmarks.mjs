// Measures everything, keeps the results in docs/benchmarks/, and makes docs/benchmarks.md of them: in one to two hours, on a machine
// that does nothing else.
//
//   node scripts/benchmarks.mjs                                  everything
//   node scripts/benchmarks.mjs --suites api,start               of these suites only; the others' results stay as they are
//   node scripts/benchmarks.mjs --engines node26,chromium        in these engines only
//
// `npm run bench -- --suite … --save` measures one, and `npm run bench -- --report` makes the page alone.

import { parseArgs } from 'node:util';
import { inProject } from './paths.mjs';
import { main, run, Stop } from './shell.mjs';

const engines = {
  node20: [],
  node26: ['--node26'],
  chromium: ['--browser', 'chromium'],
  firefox: ['--browser', 'firefox'],
};

/** Where each suite has something to show. */
const suites = {
  api: ['node20', 'node26', 'chromium', 'firefox'],
  start: ['node20', 'node26', 'chromium', 'firefox'],
  rows: ['node20', 'node26', 'chromium', 'firefox'],
  memory: ['node20', 'chromium', 'firefox'],
  buffers: ['node20', 'chromium', 'firefox'],
  async: ['node26', 'chromium', 'firefox'],
  foreign: ['node20', 'chromium', 'firefox'],
};

await main(async () => {
  const { values } = parseArgs({ options: { suites: { type: 'string' }, engines: { type: 'string' } } });
  const wanted = chosen('suite', values.suites, Object.keys(suites));
  const where = chosen('engine', values.engines, Object.keys(engines));
  const broken = [];
  for (const suite of wanted) {
    for (const engine of suites[suite].filter((name) => where.includes(name))) {
      const args = ['--suite', suite, ...engines[engine], '--save'];
      console.log(`\n━━ npm run bench -- ${args.join(' ')}`);
      if ((await script('bench', ...args)) !== 0) broken.push(`${suite} in ${engine}`);
    }
  }
  if ((await script('size', '--save')) !== 0) broken.push('size');
  if ((await script('bench', '--report')) !== 0) broken.push('the page');
  if (broken.length > 0) throw new Stop(`failed: ${broken.join(', ')}`);
});

const script = (name, ...args) => run(process.execPath, [inProject('scripts', `${name}.mjs`), ...args]);

function chosen(kind, text, all) {
  const names = text?.split(',') ?? all;
  const unknown = names.find((name) => !all.includes(name));
  if (unknown !== undefined) throw new Stop(`no ${kind} ${unknown}; there are ${all.join(', ')}`);
  return names;
}
