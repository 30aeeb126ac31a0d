import { defineConfig } from 'vitest/config';

// Tests of the page, and of the benchmarks, in real browsers. A browser at a time: two of them measure each other's load.
export default defineConfig({
  test: {
    include: ['www/test/**/*.e2e.ts', 'benches/**/*.e2e.ts'],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
