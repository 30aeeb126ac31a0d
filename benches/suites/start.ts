/** How long it takes from nothing to the first row: a new worker each time, in which nothing has been loaded or compiled before. */
import { type ColdInstance, coldInstance, lacksWorker } from '../cold/instance.js';
import { type Started, started } from '../cold/started.js';
import type { Order } from '../cold/worker.js';
import type { Case, Suite } from '../suite.js';

const parts = (name: string, about: string, before: Order['parts'], timed: Order['parts']): Case => ({
  name,
  about,
  uses: ['start'],
  start({ name }) {
    const subject = name as Started;
    let instance: ColdInstance | undefined;
    return {
      async before() {
        instance = await coldInstance();
        await instance.ask({ subject, parts: before });
      },
      run: () => (instance as ColdInstance).ask({ subject, parts: timed }),
      async after(rows) {
        await instance?.end();
        return JSON.stringify(rows);
      },
    };
  },
});

export const start: Suite = {
  name: 'start',
  about:
    'How long it takes from nothing to the first row: a new worker each time, in which nothing has been loaded or compiled before.',
  runs: 15,
  lacks: lacksWorker,
  subjects: async () => Object.entries(started).map(([name, how]) => ({ name, how: { start: how } })),
  cases: [
    parts(
      'first',
      'the JavaScript is there: the wasm file is fetched and compiled, a table is made, filled and read',
      ['load'],
      ['first'],
    ),
    parts('all', 'the same with loading the JavaScript', [], ['load', 'first']),
  ],
  baseline: ['official :memory:', 'sql.js', 'wa-sqlite :memory:'],
  requirements: [{ case: 'first', subject: 'kit memory', atMost: 1, over: ['official :memory:'] }],
};
