// The build itself, as the test that all others stand on.

import { build } from '../build.mjs';

export async function* packageBuild() {
  try {
    await build();
    yield { name: 'build', passed: 1 };
  } catch (error) {
    console.error(error.message);
    yield { name: 'build', failed: 1, trouble: 'the package does not build' };
  }
}
