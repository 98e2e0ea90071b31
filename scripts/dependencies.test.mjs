import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './lib.mjs';
import { lockedPackages } from './packages.mjs';

const read = (path) => readFileSync(join(ROOT, path), 'utf8');

/** Workspaces of the manifest, `packages/*` by their folders. */
const workspaces = JSON.parse(read('package.json')).workspaces.flatMap((path) =>
  path.endsWith('/*')
    ? readdirSync(join(ROOT, path.slice(0, -2))).map((name) => `${path.slice(0, -1)}${name}`)
    : [path],
);
/** Packages that the program needs at run time, by `name@version`. `bench` only measures it. */
const required = workspaces
  .map((path) => join(path, 'package.json'))
  .filter((path) => existsSync(join(ROOT, path)) && !path.startsWith('bench/'))
  .flatMap((path) => Object.entries(JSON.parse(read(path)).dependencies ?? {}))
  .filter(([name]) => !name.startsWith('@sallyport/'))
  .map(([name, version]) => `${name}@${version}`);

const rows = read('docs/dependencies.md')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.slice(2, -2).split(' | '));

it('has a row for each package that the program needs at run time, with its version', () => {
  const listed = rows.map(([name, version]) => `${name.replaceAll('`', '')}@${version}`);
  expect(listed.toSorted()).toEqual([...new Set(required)].toSorted());
  expect(required.length).toBeGreaterThan(50);
});

it('gives the license of the lock, and leaves no cell of a row empty', () => {
  const licenses = new Map(
    lockedPackages().map(({ name, version, license }) => [`${name}@${version}`, license]),
  );
  for (const row of rows) {
    const [name, version, released, license] = row;
    expect([name, released]).toEqual([name, expect.stringMatching(/^20\d\d-\d\d-\d\d$/)]);
    expect([name, license]).toEqual([name, licenses.get(`${name.replaceAll('`', '')}@${version}`)]);
    expect([name, row.length, row.every((cell) => cell.trim() !== '')]).toEqual([name, 8, true]);
  }
});
