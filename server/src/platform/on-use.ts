import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);

/**
 * A package that is loaded when it is first used, not at the start: what many servers never use must not take memory on all of them.
 * Where the first use can wait, `await import()` does the same.
 *
 * @returns a function that answers the exports of the package
 */
export function onUse<T>(name: string): () => T {
  let exported: T | undefined;
  return () => {
    exported ??= load(name) as T;
    return exported;
  };
}
