/** What runs in the worker of a cold instance: it loads one library, and then asks for its first row. */
import { builtin } from '../subjects/from-node.js';
import type { Started } from './started.js';
import { starts } from './starts.js';

/** Do the next part for that subject: its JavaScript is loaded, and then it is started; or both at once. */
export interface Order {
  subject: Started;
  parts: ('load' | 'first')[];
}

export type Answer = { done: unknown } | { fault: string };

interface Port {
  post(answer: Answer): void;
  listen(take: (order: Order) => void): void;
}

const inNode = builtin<typeof import('node:worker_threads')>('node:worker_threads')?.parentPort;
const port: Port = inNode
  ? {
      post: (answer) => inNode.postMessage(answer),
      listen: (take) => void inNode.on('message', take),
    }
  : {
      post: (answer) => postMessage(answer),
      listen: (take) => addEventListener('message', ({ data }: MessageEvent<Order>) => take(data)),
    };

let first: (() => Promise<unknown>) | undefined;

port.listen(async ({ subject, parts }) => {
  try {
    let done: unknown;
    for (const part of parts) {
      if (part === 'load') first = await starts[subject]();
      else done = await first?.();
    }
    port.post({ done });
  } catch (error) {
    port.post({ fault: error instanceof Error ? `${error.stack ?? error.message}` : String(error) });
  }
});
port.post({ done: 'there' });
