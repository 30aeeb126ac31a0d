/** docs/benchmarks.md, made of the results that are kept: nothing in it is typed by hand. */
import { type Judged, judge, oneOf } from '../report.js';
import type { Requirement, Suite } from '../suite.js';
import { plot } from './plot.js';
import { type Choice, type Kept, nameOf, type Saved, type Sizes } from './saved.js';

/** Bytes that the default wasm file and its JavaScript may have together, by brotli. */
export const sizeLimit = 390_000;

/** A requirement, where it was measured, and what it is held against, in words. */
interface Held extends Judged {
  saved: Saved;
  best: string;
}

export interface Made {
  markdown: string;
  /** Of each picture, by its name in docs/benchmarks/: SVG. */
  pictures: Record<string, string>;
}

/** `suites` in the order in which they are to come. */
export async function documentOf(kept: Kept, suites: readonly Suite[]): Promise<Made> {
  const pictures: Record<string, string> = {};
  const sections: string[] = [];
  const judged: Held[] = [];
  for (const suite of suites) {
    const results = kept.results.filter((saved) => saved.suite === suite.name);
    if (results.length === 0) continue;
    sections.push(`## ${suite.name}`, suite.about, cases(suite, results));
    for (const saved of results) {
      const held = judge(saved, suite).map((one) => ({ ...one, saved, best: bestOf(one, suite) }));
      judged.push(...held);
      const name = `${nameOf(saved)}.svg`;
      pictures[name] = await plot(saved, new Set(suite.requirements.map(({ subject }) => subject)));
      sections.push(...run(saved, suite, name, held));
    }
  }
  if (kept.sizes) sections.push('## size', ...size(kept.sizes));
  if (kept.choices) sections.push('## choices', ...choices(kept.choices));
  const head = [
    '# Benchmarks',
    '<!-- Made by `npm run benchmarks`: not to be changed by hand. -->',
    'Each case is done by all subjects in turn, run by run, in one process or page, after runs that do not count; all have to compute the same. Times are milliseconds, medians if nothing else is said; bars show the least and the most as well. `npm run benchmarks` measures all of it and makes this page; `npm run bench -- --report` makes it of the results that are in [benchmarks/](benchmarks).',
    ...environment(kept.results),
    '## Limits',
    ...limits(judged, kept.sizes),
  ];
  return { markdown: `${[...head, ...sections].filter((text) => text !== '').join('\n\n')}\n`, pictures };
}

function environment(results: readonly Saved[]): string[] {
  if (results.length === 0) return ['Nothing has been measured yet.'];
  const all = <T>(of: (saved: Saved) => T) => [...new Set(results.map(of))];
  const names = all(({ versions }) => Object.keys(versions)).flat();
  const rows = [...new Set(names)].map((name) => [
    name,
    all(({ versions }) => versions[name])
      .filter((version) => version !== undefined)
      .join('; '),
  ]);
  return [
    table(
      ['', ''],
      [
        ['machine', all(({ machine }) => machine).join('; ')],
        [
          'measured',
          all(({ date }) => date)
            .sort()
            .join(', '),
        ],
        [
          'engines',
          all(({ engine }) => engine)
            .sort()
            .join(', '),
        ],
        ...rows,
      ],
    ),
  ];
}

function limits(judged: readonly Held[], sizes: Sizes | undefined): string[] {
  const measured = judged.filter(({ ratio }) => ratio !== undefined);
  const missed = measured.filter(({ met }) => !met);
  const large = sizes !== undefined && sizes.total.brotli > sizeLimit;
  const count = measured.length + (sizes ? 1 : 0);
  const reached = count - missed.length - (large ? 1 : 0);
  const text = [`${reached} of ${count} limits are reached.`];
  if (reached < count) {
    text.push(
      'Not reached:',
      [
        ...missed.map(
          ({ saved, best, requirement, ratio }) =>
            `- ${saved.suite}, ${saved.engine}: ${what(requirement)} that of ${best}; it is ${times(ratio)}${profileOf(saved, requirement)}`,
        ),
        ...(large
          ? [`- size: at most ${bytes(sizeLimit)} bytes by brotli; it is ${bytes(sizes.total.brotli)}`]
          : []),
      ].join('\n'),
    );
  }
  return text;
}

const what = ({ case: work, subject, atMost }: Requirement): string =>
  `${work}, ${subject} at most ${times(atMost)}`;

/** Where the time of what did not get there goes, if that was looked at. */
function profileOf(saved: Saved, { case: work, subject }: Requirement): string {
  const result = saved.results.find((one) => one.case === work && one.subject === subject);
  if (!result?.profile) return '';
  const shares = result.profile
    .slice(0, 8)
    .map(({ where, share }) => `${where} ${Math.round(share * 100)} %`);
  return `. Where its time goes: ${shares.join(', ')}`;
}

/** What a requirement is held against, in words. */
const bestOf = ({ requirement, against }: Judged, suite: Suite): string =>
  (requirement.over === undefined ? suite.best : undefined) ?? oneOf(against);

const times = (ratio: number | undefined): string => (ratio === undefined ? '' : `${ratio.toFixed(2)}x`);

function cases(suite: Suite, results: readonly Saved[]): string {
  const measured = new Set(results.flatMap((saved) => saved.results.map((one) => one.case)));
  return suite.cases
    .filter(({ name }) => measured.has(name))
    .map(({ name, about }) => `- \`${name}\`: ${about}`)
    .join('\n');
}

function run(saved: Saved, suite: Suite, picture: string, judged: readonly Held[]): string[] {
  const { engine, command, runs, leftOut } = saved;
  return [
    `### ${suite.name}, ${engine}`,
    `\`${command}\` (${runs} timed runs)`,
    leftOut.map(({ subject, why }) => `${subject} is left out: ${why}.`).join(' '),
    `![${suite.name} in ${engine}: milliseconds of each subject, by case](benchmarks/${picture})`,
    medians(saved, suite),
    held(judged),
    driven(saved),
  ];
}

/** A row for each case, a column for each subject; the ratio is that of what the requirements are about. */
function medians({ results, sqlite }: Saved, suite: Suite): string {
  const subjects = [...new Set(results.map(({ subject }) => subject))];
  const names = [...new Set(results.map((one) => one.case))];
  const title = (name: string) => (sqlite?.[name] === undefined ? name : `${name} (${sqlite[name]})`);
  const fastest = (work: string) =>
    Math.min(
      ...results
        .filter((one) => one.case === work && suite.baseline.includes(one.subject))
        .map(({ ms }) => ms.median),
    );
  const rows = names.map((work) => [
    work,
    ...subjects.map((name) => {
      const result = results.find((one) => one.case === work && one.subject === name);
      if (!result) return '';
      const { median } = result.ms;
      const heap =
        result.bytesPerCall === undefined ? '' : `, ${result.bytesPerCall} bytes of the heap a call`;
      return `${ms(median)}${Number.isFinite(fastest(work)) ? ` (${times(median / fastest(work))})` : ''}${heap}`;
    }),
  ]);
  const among = suite.best ?? oneOf(suite.baseline.filter((name) => subjects.includes(name)));
  const versions = sqlite ? ' Beside a name is the version of SQLite.' : '';
  return `${table(['', ...subjects.map(title)], rows, 'right')}\n\nIn brackets: how many times as long as ${among}.${versions}`;
}

const ms = (time: number): string => time.toFixed(time < 10 ? 2 : time < 100 ? 1 : 0);

function held(judged: readonly Held[]): string {
  const rows = judged
    .filter(({ ratio }) => ratio !== undefined)
    .map(({ requirement, best, ratio, met }) => [
      requirement.case,
      requirement.subject,
      best,
      `${times(requirement.atMost)}${requirement.aim === undefined ? '' : ` (aim: ${times(requirement.aim)})`}`,
      times(ratio),
      met ? 'reached' : '**not reached**',
    ]);
  return rows.length === 0 ? '' : table(['case', 'subject', 'over', 'at most', 'measured', ''], rows);
}

/** What each subject was called by, and for which cases. */
function driven({ results, how }: Saved): string {
  const bySubject = new Map<string, Map<string, string[]>>();
  for (const [i, { case: work, subject }] of results.entries()) {
    const ways = bySubject.get(subject) ?? new Map<string, string[]>();
    const words = how[i] ?? '';
    ways.set(words, [...(ways.get(words) ?? []), work]);
    bySubject.set(subject, ways);
  }
  const rows = [...bySubject].flatMap(([subject, ways]) =>
    [...ways].map(([words, works], i) => [i === 0 ? subject : '', works.join(', '), `\`${words}\``]),
  );
  return `<details><summary>How each is driven</summary>\n\n${table(['', 'cases', ''], rows)}\n\n</details>`;
}

function size(sizes: Sizes): string[] {
  const row = (name: string, { raw, gzip, brotli }: Sizes['total']) => [
    name,
    bytes(raw),
    bytes(gzip),
    bytes(brotli),
  ];
  return [
    '`npm run size`: what an app downloads, in bytes. The JavaScript is minified, with all that the package exports.',
    table(
      ['', 'raw', 'gzip', 'brotli'],
      [
        ...sizes.files.map((file) => row(file.name, file)),
        row('together', sizes.total),
        ...sizes.stores.files.map((file) => row(file.name, file)),
        row('the stores, for other builds of SQLite', sizes.stores.total),
      ],
      'right',
    ),
    `At most ${bytes(sizeLimit)} by brotli: ${sizes.total.brotli <= sizeLimit ? 'reached' : '**not reached**'}.`,
  ];
}

const bytes = (count: number): string => count.toLocaleString('en');

function choices(all: readonly Choice[]): string[] {
  const amount = (value: number, { unit }: Choice) => (unit === 'ms' ? `${ms(value)} ms` : bytes(value));
  return [
    'What was tried in how SQLite is built and how rows are passed, and what came of it.',
    table(
      ['', 'measured', 'before', 'after', 'change', ''],
      all.map((one) => [
        one.choice,
        one.measured,
        amount(one.before, one),
        amount(one.after, one),
        `${((one.after / one.before - 1) * 100).toFixed(1)} %`,
        one.kept ? 'kept' : 'not kept',
      ]),
    ),
  ];
}

/** In Markdown. Alignment to the right is for all columns but the first. */
function table(head: readonly string[], rows: readonly string[][], align?: 'right'): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const rule = head.map((_, i) => (align === 'right' && i > 0 ? '---:' : '---'));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}
