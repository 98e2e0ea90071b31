import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './lib.mjs';

const read = (path) => readFileSync(join(ROOT, path), 'utf8');

it('names one version in VERSION, in the manifest and as the newest section of the changelog', () => {
  const version = read('VERSION').trim();
  expect(JSON.parse(read('package.json')).version).toBe(version);
  expect(/^## \[([^\]]+)\]/m.exec(read('CHANGELOG.md'))?.[1]).toBe(version);
});
