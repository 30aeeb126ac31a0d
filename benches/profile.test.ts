import { expect, test } from 'vitest';
import { profiled } from './profile.js';

test('tells where the time of a run goes, and not that of what is before it', async () => {
  let sum = 0;
  function getReady() {
    for (let i = 0; i < 3e7; i++) sum += Math.sqrt(i);
  }
  function theWork() {
    for (let i = 0; i < 3e7; i++) sum -= Math.sqrt(i);
  }
  const shares = (await profiled(getReady, theWork)) ?? [];
  expect(shares[0]?.where).toBe('theWork');
  expect(shares.map(({ where }) => where)).not.toContain('getReady');
  // The profiler's own.
  expect(shares.map(({ where }) => where)).not.toContain('dispatch');
  expect(shares.map(({ where }) => where)).not.toContain('profiled');
  expect(shares.reduce((all, { share }) => all + share, 0)).toBeLessThanOrEqual(1.01);
  expect(sum).toBeDefined();
});
