/** The benchmark runner in Node: `npm run bench -- --suite memory`. */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Measured, measure, type Options } from './measure.js';
import { check, json, type Report, table } from './report.js';
import { Mistaken, type Suite } from './suite.js';
import { suiteNamed, suites } from './suites/index.js';

const usage = `usage: npm run bench -- --suite ${Object.keys(suites).join('|')} [options]

  --browser chromium|firefox   in a page of that browser, instead of in Node
  --node26                     in Node 26
  --runs N                     timed runs of each case; others go before them
  --only text,text             only cases with one of these texts in their name
  --scale N                    a part of the work: 0.01 is a hundredth
  --check                      fail unless the suite's requirements are met
  --json                       JSON on standard output, and nothing else`;

interface Arguments {
  suite: string;
  browser: string | undefined;
  runs: number | undefined;
  only: string[] | undefined;
  scale: number | undefined;
  check: boolean;
  json: boolean;
}

async function main(args: Arguments): Promise<void> {
  const suite = await suiteNamed(args.suite);
  const options = {
    ...(args.runs !== undefined && { runs: args.runs }),
    ...(args.only !== undefined && { only: args.only }),
    ...(args.scale !== undefined && { scale: args.scale }),
    progress: (line: string) => console.error(`  ${line}`),
  };
  const report: Report = { suite: suite.name, ...(await measured(suite, args.browser, options)) };
  console.log(args.json ? json(report) : `\n${table(report, suite)}`);
  if (!args.check) return;
  const { lines, passed } = check(report, suite);
  // With --json, standard output is for the JSON.
  (args.json ? console.error : console.log)(`\nrequired\n${lines.join('\n')}`);
  if (!passed) process.exitCode = 1;
}

async function measured(
  suite: Suite,
  browser: string | undefined,
  options: Options,
): Promise<Measured & { engine: string }> {
  if (browser === undefined) {
    return { engine: `node ${process.versions.node}`, ...(await measure(suite, options)) };
  }
  const folder = fileURLToPath(new URL('../browser', import.meta.url));
  // Only now: in Node there is no use for what it imports.
  const { measureInBrowser } = await import('./drive.js');
  return measureInBrowser(browser, folder, suite.name, options);
}

function parsed(argv: string[]): Arguments {
  const { values } = parseArgs({
    args: argv,
    options: {
      suite: { type: 'string' },
      browser: { type: 'string' },
      runs: { type: 'string' },
      only: { type: 'string' },
      scale: { type: 'string' },
      check: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const { suite, browser, check, json } = values;
  if (suite === undefined) throw new Mistaken('which suite?');
  return {
    suite,
    browser,
    runs: positive('runs', values.runs),
    only: values.only?.split(','),
    scale: positive('scale', values.scale),
    check,
    json,
  };
}

function positive(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!(number > 0) || (name === 'runs' && !Number.isInteger(number))) {
    throw new Mistaken(`--${name} ${text}: not a positive number`);
  }
  return number;
}

try {
  await main(parsed(process.argv.slice(2)));
} catch (error) {
  // What was asked for is wrong, or something is wrong here: then the stack is of use.
  const mistaken =
    error instanceof Mistaken || (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS');
  console.error(mistaken ? `${(error as Error).message}\n\n${usage}` : error);
  process.exitCode = 1;
}
