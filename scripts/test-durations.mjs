// node scripts/test-durations.mjs: writes the durations of the longest test files, after a whole
// run on an idle machine. A fresh clone starts those first.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, say } from './lib.mjs';

const FILE = join(ROOT, 'scripts/test-durations.json');
/** Where vitest keeps the results of its runs. */
const RESULTS = join(ROOT, 'node_modules/.vite/vitest');
/** The longest files; the order of the others does not matter. */
const COUNT = 80;

const known = JSON.parse(readFileSync(FILE, 'utf8'));
const caches = readdirSync(RESULTS).map((folder) => join(RESULTS, folder, 'results.json'));
for (const path of caches.filter((each) => existsSync(each)))
  for (const { files } of Object.values(JSON.parse(readFileSync(path, 'utf8')).projects))
    for (const [file, { duration }] of Object.entries(files))
      known[file] = Math.round(duration / 1000);
const longest = Object.entries(known)
  .filter(([file]) => existsSync(join(ROOT, file)))
  .sort(([, one], [, other]) => other - one)
  .slice(0, COUNT);
writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(longest), undefined, 2)}\n`);
say(`${FILE} names ${longest.length} files.`);
