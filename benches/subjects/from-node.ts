/** Packages that are loaded only where Node is: no bundle has them in it. */

interface Host {
  process?: { getBuiltinModule?(id: string): unknown };
}

/** Of one of Node's own modules; `undefined` where there is none. */
export function builtin<T>(id: string): T | undefined {
  return (globalThis as Host).process?.getBuiltinModule?.(id) as T | undefined;
}

/** What `require` answers, as a file of the project in that folder would get it; `undefined` in a browser. */
export function fromNode<T>(id: string, folder = '.'): T | undefined {
  const module = builtin<typeof import('node:module')>('node:module');
  if (!module) return undefined;
  // Where the project is: bundles of benchmarks lie in it, too.
  const project = module.createRequire(import.meta.url).resolve('sqlite-vfs-kit/package.json');
  return module.createRequire(module.createRequire(project).resolve(`./${folder}/package.json`))(id) as T;
}
