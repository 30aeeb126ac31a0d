/** How much of JavaScript's heap is taken: in Node, and in Chromium when it was started to be precise. Firefox does not say. */

interface Host {
  process?: { memoryUsage?(): { heapUsed: number } };
  performance: { memory?: { usedJSHeapSize: number } };
}

/** Bytes for each of `calls`, as many as `work` makes: what it leaves behind, and no more than fits in before a collection. */
export async function allocation(work: () => void, calls: number): Promise<number | undefined> {
  const used: number[] = [];
  for (let i = 0; i < 7; i++) {
    globalThis.gc?.();
    const before = await heapUsed();
    if (before === undefined) return undefined;
    work();
    used.push(((await heapUsed()) as number) - before);
  }
  // Fewer than none: what was left behind was collected meanwhile.
  const left = used.filter((bytes) => bytes >= 0).sort((a, b) => a - b);
  if (left.length === 0) return undefined;
  return Math.round((left[left.length >> 1] as number) / calls);
}

async function heapUsed(): Promise<number | undefined> {
  const { process, performance } = globalThis as unknown as Host;
  if (process?.memoryUsage) return process.memoryUsage().heapUsed;
  if (!performance.memory) return undefined;
  // Chromium looks no oftener.
  await new Promise((resolve) => setTimeout(resolve, 60));
  return performance.memory.usedJSHeapSize;
}
