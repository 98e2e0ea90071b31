// Checks of files that passed pass again until the files change.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CACHE } from './lib.mjs';

/**
 * Compares items with those that passed a check the last time. `states` holds each item with
 * the digest of everything that decides about it. Returns the changed items; `keep()` remembers all
 * as passed.
 */
export function changedSince(name, states) {
  const path = join(CACHE, name);
  const passed = new Set(existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : []);
  const changed = states.filter(([, state]) => !passed.has(state)).map(([item]) => item);
  return {
    changed,
    keep() {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, JSON.stringify(states.map(([, state]) => state)));
    },
  };
}
