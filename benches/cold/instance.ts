/** A library in a worker of its own, in which nothing of it has been loaded or compiled before. */
import { builtin } from '../subjects/from-node.js';
import type { Answer, Order } from './worker.js';

export interface ColdInstance {
  ask(order: Order): Promise<unknown>;
  end(): Promise<void>;
}

/** In Node it is beside the program, where `npm run bench` puts it. */
function nodeWorker(): string | undefined {
  const fs = builtin<typeof import('node:fs')>('node:fs');
  const path = builtin<typeof import('node:path')>('node:path');
  const file = path?.join(path.dirname(process.argv[1] as string), 'cold-worker.js');
  return file !== undefined && fs?.existsSync(file) ? file : undefined;
}

/** What this engine lacks for it. */
export function lacksWorker(): string | undefined {
  const here = typeof Worker !== 'undefined' && !builtin('node:fs');
  return here || nodeWorker() ? undefined : 'the file of its worker: npm run bench makes it';
}

export async function coldInstance(): Promise<ColdInstance> {
  const { promise: ready, answered } = answers();
  let next = answered;
  const worker = opened(
    (answer) => next.resolve(answer),
    (error) => next.reject(error),
  );
  await ready;
  return {
    ask(order) {
      const { promise, answered } = answers();
      next = answered;
      worker.postMessage(order);
      return promise;
    },
    // In Node its memory is free again when this answers.
    end: async () => void (await worker.terminate()),
  };
}

interface Opened {
  postMessage(order: Order): void;
  terminate(): unknown;
}

function opened(heard: (answer: Answer) => void, failed: (error: Error) => void): Opened {
  const threads = builtin<typeof import('node:worker_threads')>('node:worker_threads');
  if (threads) {
    const worker = new threads.Worker(nodeWorker() as string);
    worker.on('message', heard);
    worker.on('error', failed);
    return worker;
  }
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
  worker.onmessage = ({ data }: MessageEvent<Answer>) => heard(data);
  worker.onerror = ({ message }) => failed(new Error(message));
  return worker;
}

/** The next answer, unless it is a fault. */
function answers() {
  let answered!: { resolve(answer: Answer): void; reject(error: Error): void };
  const promise = new Promise<unknown>((resolve, reject) => {
    answered = {
      resolve: (answer) => ('fault' in answer ? reject(new Error(answer.fault)) : resolve(answer.done)),
      reject,
    };
  });
  return { promise, answered };
}
