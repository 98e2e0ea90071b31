// Format and lint. Biome looks at each file by itself, so a file that passed passes again until it
// or the rules change.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CACHE, digest, NODE, ROOT, runQuietly } from './lib.mjs';
import { projectFiles } from './source-files.mjs';

const BIOME = join(ROOT, 'node_modules/@biomejs/biome');
const PASSED = join(CACHE, 'format.json');
/**
 * Files that decide what Biome reports: its version, its rules, the files it skips, and the
 * packages that turn rules on.
 */
const RULES = /(^|\/)(biome\.jsonc?|\.gitignore|\.editorconfig|package\.json)$/;

/** Checks the files that have changed since they passed. */
export async function checkFormat() {
  const rules = [
    join(BIOME, 'package.json'),
    ...projectFiles(RULES).map((file) => join(ROOT, file)),
  ].map((path) => readFileSync(path));
  const files = projectFiles(/\.(ts|tsx|mjs|json|css)$/).map((file) => ({
    file,
    state: digest([...rules, file, readFileSync(join(ROOT, file))]),
  }));
  const passed = new Set(existsSync(PASSED) ? JSON.parse(readFileSync(PASSED, 'utf8')) : []);
  const changed = files.filter(({ state }) => !passed.has(state)).map(({ file }) => file);
  if (changed.length > 0) {
    const words = [
      'check',
      '--error-on-warnings',
      '--no-errors-on-unmatched',
      ...(changed.length === files.length ? ['.'] : changed),
    ];
    const result = await runQuietly(NODE, [join(BIOME, 'bin/biome'), ...words]);
    if (result.status !== 0) return result;
  }
  mkdirSync(dirname(PASSED), { recursive: true });
  writeFileSync(PASSED, JSON.stringify(files.map(({ state }) => state)));
  return { status: 0, output: '' };
}
