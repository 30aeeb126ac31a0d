/** A thousand texts of 100 KB, read as arrays. Three of four are ASCII, as most are; the fourth has a few letters that are not. */
import type { AwaitedSubject, Value } from '../subjects/sql.js';
import { type Case, scaled } from '../suite.js';
import { Checksum } from './checksum.js';
import { Random } from './random.js';

const count = 1000;

/** Characters of each. */
const length = 100_000;

function textsOf(scale: number): Value[][] {
  const random = new Random(100);
  let words = '';
  while (words.length < length) words += `${random.words(1000)} `;
  const plain = words.replace(/[^ -~]/g, 'e');
  // Each begins elsewhere, so that none is another's copy.
  return Array.from({ length: scaled(count, scale) }, (_, i) => {
    const text = i % 4 === 3 ? words : plain;
    const from = (i * 97) % length;
    return [i + 1, (text.slice(from) + text.slice(0, from)).slice(0, length)];
  });
}

export const bigtext: Case<AwaitedSubject> = {
  name: 'bigtext',
  about: 'a thousand texts of 100 KB, read as arrays; a fourth of them are not ASCII',
  uses: ['arrays'],
  async start(subject, scale) {
    const database = await subject.open();
    await database.exec('CREATE TABLE document (id INTEGER PRIMARY KEY, text TEXT)');
    await database.bulk('INSERT INTO document VALUES (?, ?)', textsOf(scale));
    // The first run, which is not timed, looks at every character; the others at a few of each text.
    let verified: string | undefined;
    return {
      run: () => database.arrays('SELECT id, text FROM document'),
      after(rows: unknown[][]) {
        verified ??= new Checksum().add(rows).toString();
        const sum = new Checksum();
        for (const [id, text] of rows as [number, string][]) {
          sum.add(id).add(text.length).add(text.slice(-20));
        }
        return `at first ${verified}, then ${sum}`;
      },
      end: () => database.close(),
    };
  },
};
