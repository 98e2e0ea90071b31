// The rings of the tests: a file's name says which ring runs it, and this check holds the names.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow, importsOf } from './imports.mjs';
import { ROOT } from './lib.mjs';

/** Modules that start programs of Debian packages call `requirePeers` of this file. */
const MARK = 'server/src/testing/peers.ts';
const PEERS_TEST = '.peers.test.ts';
const LIFE_TEST = '.life.test.ts';

/** Returns true if a test needs a Debian package: its imports reach the mark. */
export function needsPeers(path, known = new Map()) {
  if (path === MARK) return true;
  if (known.has(path)) return known.get(path);
  // A circle adds nothing.
  known.set(path, false);
  const isNeeded = importsOf(path).some(
    ({ file, isType }) => file && !isType && isCode(file) && needsPeers(file, known),
  );
  known.set(path, isNeeded);
  return isNeeded;
}

const isCode = (file) => /\.tsx?$/.test(file) && existsSync(join(ROOT, file));

/** Tests whose name does not say the ring that they belong to, one line each. */
export function findWrongRings() {
  const known = new Map();
  return ['packages', 'server/src', 'demo']
    .flatMap(filesBelow)
    .filter((path) => path.endsWith('.test.ts'))
    .flatMap((path) => {
      const isNamed = path.endsWith(PEERS_TEST) || path.endsWith(LIFE_TEST);
      if (isNamed === needsPeers(path, known)) return [];
      return isNamed
        ? [
            `${path}: needs no program of Debian, so it belongs to the first ring: call it *.test.ts`,
          ]
        : [`${path}: needs programs of Debian (it reaches ${MARK}): call it *${PEERS_TEST}`];
    });
}
