import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const START = resolve(import.meta.dirname, 'start.mjs');

function start(...words) {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-words-'));
  const environment = { PATH: process.env.PATH, INIT_CWD: folder };
  const { status, stdout, stderr } = spawnSync(process.execPath, [START, ...words], {
    cwd: folder,
    env: environment,
    encoding: 'utf8',
    timeout: 60_000,
  });
  const left = readdirSync(folder);
  rmSync(folder, { recursive: true });
  return { status, stdout, stderr, left };
}

it.each(['--hepl', '--dem', 'demo'])('refuses the unknown option %s and starts nothing', (word) => {
  const { status, stderr, left } = start(word);
  expect([status, left]).toEqual([78, []]);
  expect(stderr).toContain(`"${word}" is not an option of the start.`);
});

it('prints its options for --help and starts nothing', () => {
  expect(start('--help')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('npm start -- --demo'),
    left: [],
  });
});
