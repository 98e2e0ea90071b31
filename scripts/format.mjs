// Format and lint. Biome looks at each file by itself, so a file that passed passes again until it
// or the rules change.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { digest, NODE, ROOT, runQuietly } from './lib.mjs';
import { changedSince } from './passed.mjs';
import { projectFiles } from './source-files.mjs';

const BIOME = join(ROOT, 'node_modules/@biomejs/biome');
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
  const files = projectFiles(/\.(ts|tsx|mjs|json|css)$/);
  const { changed, keep } = changedSince(
    'format.json',
    files.map((file) => [file, digest([...rules, file, readFileSync(join(ROOT, file))])]),
  );
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
  keep();
  return { status: 0, output: '' };
}
