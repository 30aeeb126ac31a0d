import { defineConfig } from 'vitest/config';

// Tests of the package as its users have it: what `npm pack` makes, installed into apps outside the tree.
export default defineConfig({
  test: {
    include: ['js/test/package/**/*.package.ts'],
    globalSetup: ['js/test/package/tarball.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
