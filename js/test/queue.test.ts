// The turns of a connection's calls.

import { expect, test } from 'vitest';
import { Queue } from '../src/queue.js';

const pause = () => new Promise<void>((resolve) => setTimeout(resolve));

test('a call begins at once when there is none before it', async () => {
  const queue = new Queue();
  let begun = false;
  const first = queue.add(() => {
    begun = true;
  });
  expect(begun).toBe(true);
  await first;
  begun = false;
  const second = queue.add(() => {
    begun = true;
  });
  expect(begun).toBe(true);
  await second;
});

test('others wait for their turns, those that come while one ends, too', async () => {
  const queue = new Queue();
  const order: string[] = [];
  const call = (name: string) => async () => {
    order.push(`${name} begins`);
    await pause();
    order.push(`${name} ends`);
    return name;
  };
  const late: Promise<string>[] = [];
  const first = async () => {
    const name = await call('a')();
    late.push(queue.add(call('late')));
    return name;
  };
  const answers = [queue.add(first), queue.add(call('b')), queue.add(call('c'))];
  expect(await Promise.all(answers)).toEqual(['a', 'b', 'c']);
  expect(await late[0]).toBe('late');
  expect(order).toEqual(['a', 'b', 'c', 'late'].flatMap((name) => [`${name} begins`, `${name} ends`]));
});

test('a call that fails, at once or later, rejects, is over, and lets the next one have its turn', async () => {
  const queue = new Queue();
  const failed = [
    queue.add(() => {
      throw new Error('at once');
    }),
    queue.add(async () => {
      await pause();
      throw new Error('later');
    }),
  ];
  const next = queue.add(() => 'next');
  await expect(failed[0]).rejects.toThrow('at once');
  await expect(failed[1]).rejects.toThrow('later');
  expect(await next).toBe('next');
  expect(await queue.add(() => 'another')).toBe('another');
});

test('many wait in order', async () => {
  const queue = new Queue();
  const order: number[] = [];
  await Promise.all(Array.from({ length: 1000 }, (_, i) => queue.add(() => order.push(i))));
  expect(order).toEqual(Array.from({ length: 1000 }, (_, i) => i));
});
