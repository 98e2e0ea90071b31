import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);

/**
 * Loads a package on first use instead of at start, which saves memory on servers that never use
 * it. Asynchronous callers use `await import()` instead.
 *
 * @returns a function that returns the exports of the package
 */
export function onUse<T>(name: string): () => T {
  let exported: T | undefined;
  return () => {
    exported ??= load(name) as T;
    return exported;
  };
}
