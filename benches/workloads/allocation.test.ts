import { expect, test } from 'vitest';
import { allocation } from './allocation.js';

test('tells what a call takes of the heap', async () => {
  const kept: unknown[] = [];
  const bytes = (await allocation(() => {
    // Eight bytes an element, and the array itself.
    for (let i = 0; i < 1000; i++) kept.push(new Array(100).fill(i));
  }, 1000)) as number;
  expect(bytes).toBeGreaterThan(400);
  expect(bytes).toBeLessThan(2000);
});
