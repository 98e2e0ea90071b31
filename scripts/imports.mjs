// The imports between the files of this repository, as text: values, types and dynamic imports
// alike.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { ROOT } from './lib.mjs';

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\b(\s+type\b)?[^'";]*?from\s*'([^']+)'|\bimport\s*\(?\s*'([^']+)'/g;

/** Tests may import the whole program and the builders. */
export const isTest = (path) => /\.test\.tsx?$/.test(path) || path.includes('/testing/');

/** All TypeScript files below a folder of the repository. */
export function filesBelow(folder) {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory())
      return ['node_modules', 'dist'].includes(entry.name) ? [] : filesBelow(path);
    return /\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

/**
 * Returns the imports of a file: `target` as written, `file` (path in the repository, undefined for
 * packages), and whether the import is type-only.
 */
export function importsOf(path) {
  return [...readFileSync(join(ROOT, path), 'utf8').matchAll(IMPORT)].map(
    ([, type, named, bare]) => {
      const target = named ?? bare;
      const isType = type !== undefined;
      return { target, isType, file: fileOf(path, target) };
    },
  );
}

/** Returns the file that a target names in a file; undefined for packages of others. */
export function fileOf(path, target) {
  if (target.startsWith('.')) return relative(ROOT, resolve(ROOT, dirname(path), target));
  const [, name] = /^@sallyport\/([\w-]+)/.exec(target) ?? [];
  if (name === undefined) return undefined;
  return name === 'contract' ? 'contract/src/index.ts' : `packages/${name}/index.ts`;
}

/** Returns the imports of each file below some folders, without their tests. */
export function importGraph(...folders) {
  const files = folders.flatMap(filesBelow).filter((path) => !isTest(path));
  return new Map(
    files.map((path) => [
      path,
      [...new Set(importsOf(path).map(({ file }) => file))].filter(
        (file) => file && existsSync(join(ROOT, file)),
      ),
    ]),
  );
}
