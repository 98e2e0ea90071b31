// A client program of tests: shows its arguments, its environment for PostgreSQL, and the files
// that these name.
import { lstatSync, readFileSync } from 'node:fs';

const args = process.argv.slice(2);
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name.startsWith('PG')),
);
const files = [...args, ...Object.values(environment)]
  .map((text) => (text ?? '').replace(/^[^/]*="?/, '').replace(/"$/, ''))
  .filter((path) => path.startsWith('/') && lstatSync(path, { throwIfNoEntry: false })?.isFile())
  .map((path) => readFileSync(path, 'utf8'));
process.stdout.write(JSON.stringify({ args, environment, files }));
process.exitCode = 7;
