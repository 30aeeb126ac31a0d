/** Answers that come at once in one build, and may be waited for in another, so that one code serves both. */

/** How the engine's calls answer that may reach a VFS: at once; or at once or with a promise. */
export type Mode = 'sync' | 'async';

/** What such a call answers. */
export type Answer<M extends Mode, T> = M extends 'sync' ? T : T | Promise<T>;

/** An answer that is there. */
export const atOnce = <M extends Mode, T>(value: T): Answer<M, T> => value as Answer<M, T>;

/** Goes on with an answer: at once, if it is there. */
export function andThen<M extends Mode, A, B>(
  answer: Answer<M, A>,
  next: (value: A) => Answer<M, B> | B,
): Answer<M, B> {
  return (answer instanceof Promise ? answer.then(next) : next(answer as A)) as Answer<M, B>;
}

/** Calls for one item after another. */
export function forEach<M extends Mode, T>(
  items: Iterable<T>,
  call: (item: T) => Answer<M, void>,
): Answer<M, void> {
  const iterator = items[Symbol.iterator]();
  const rest = (): unknown => {
    for (;;) {
      const { done, value } = iterator.next();
      if (done) return undefined;
      const answer = call(value);
      if (answer instanceof Promise) return answer.then(rest);
    }
  };
  return rest() as Answer<M, void>;
}

/** Does something when a call is over, whether it succeeds or not. */
export function lastly<M extends Mode, T>(call: () => Answer<M, T>, after: () => void): Answer<M, T> {
  let isOver = true;
  try {
    const answer = call();
    if (!(answer instanceof Promise)) return answer;
    isOver = false;
    return answer.finally(after) as Answer<M, T>;
  } finally {
    if (isOver) after();
  }
}
