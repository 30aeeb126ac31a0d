/** The benchmark runner in Node: `npm run bench -- --suite memory`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { keptIn, resultsIn, save } from './document/saved.js';
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
  --save                       keep the results in docs/benchmarks/
  --check                      fail unless the suite's requirements are met
  --json                       JSON on standard output, and nothing else

       npm run bench -- --report

  makes docs/benchmarks.md of the results that are kept

  --docs folder                instead of docs`;

interface Arguments {
  suite: string;
  browser: string | undefined;
  runs: number | undefined;
  only: string[] | undefined;
  scale: number | undefined;
  check: boolean;
  json: boolean;
  save: boolean;
  docs: string;
}

async function main(args: Arguments, argv: readonly string[]): Promise<void> {
  const suite = await suiteNamed(args.suite);
  const options = {
    ...(args.runs !== undefined && { runs: args.runs }),
    ...(args.only !== undefined && { only: args.only }),
    ...(args.scale !== undefined && { scale: args.scale }),
    profile: args.save,
    progress: (line: string) => console.error(`  ${line}`),
  };
  const report: Report = { suite: suite.name, ...(await measured(suite, args.browser, options)) };
  if (args.save) console.error(`\n${save(report, argv, args.docs)}`);
  console.log(args.json ? json(report) : `\n${table(report, suite)}`);
  if (!args.check) return;
  const { lines, passed } = check(report, suite);
  // With --json, standard output is for the JSON.
  (args.json ? console.error : console.log)(`\nrequired\n${lines.join('\n')}`);
  if (!passed) process.exitCode = 1;
}

/** Makes the document of what is kept. */
async function document(docs: string): Promise<void> {
  // Only now: to measure there is no use for what it imports.
  const { documentOf } = await import('./document/document.js');
  const all: Suite[] = [];
  for (const name of ['api', 'start', 'rows', 'memory', 'buffers', 'async', 'foreign']) {
    all.push(await suiteNamed(name));
  }
  const { markdown, pictures } = await documentOf(keptIn(docs), all);
  mkdirSync(resultsIn(docs), { recursive: true });
  for (const [name, svg] of Object.entries(pictures)) writeFileSync(join(resultsIn(docs), name), svg);
  const file = join(docs, 'benchmarks.md');
  writeFileSync(file, markdown);
  console.log(file);
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

function parsed(argv: string[]): Arguments | { report: true; docs: string } {
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
      save: { type: 'boolean', default: false },
      report: { type: 'boolean', default: false },
      docs: { type: 'string', default: 'docs' },
      // Which Node this is has been decided before.
      node26: { type: 'boolean' },
    },
  });
  const { suite, browser, check, json, save, report, docs } = values;
  if (report) return { report, docs };
  if (suite === undefined) throw new Mistaken('which suite?');
  return {
    suite,
    browser,
    runs: positive('runs', values.runs),
    only: values.only?.split(','),
    scale: positive('scale', values.scale),
    check,
    json,
    save,
    docs,
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
  const argv = process.argv.slice(2);
  const args = parsed(argv);
  if ('report' in args) await document(args.docs);
  else await main(args, argv);
} catch (error) {
  // What was asked for is wrong, or something is wrong here: then the stack is of use.
  const mistaken =
    error instanceof Mistaken || (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS');
  console.error(mistaken ? `${(error as Error).message}\n\n${usage}` : error);
  process.exitCode = 1;
}
