import { execFileSync } from 'node:child_process';
import { posixPath, posixWord } from '@sallyport/contract';
import { expect, it } from 'vitest';

it('leaves plain paths as they are', () => {
  for (const path of ['/var/lib/sallyport', './data-two', '/backup/2026-11-30T08:00', 'a=b,c+d@e%'])
    expect(posixPath(path)).toBe(path);
});

it.each([
  '/srv/sally port/data',
  "/srv/admin's keys",
  '/srv/$HOME/$(id)`id`',
  '/srv/a;b&c|d>e<f',
  '/srv/*?[a]{b,c}',
  '/srv/back\\slash',
  '/srv/two\nlines',
  '/srv/钥匙 “x”',
  '~/keys',
  '#keys',
  '!keys',
  '=keys',
  '',
])('quotes a word that a shell reads literally: %j', (word) => {
  const printed = execFileSync('sh', ['-c', `printf '%s|' x ${posixWord(word)} y`]);
  expect(printed.toString()).toBe(`x|${word}|y|`);
});

it('returns no option of a command', () => {
  for (const path of ['-R', '--reference=/etc/shadow', '-'])
    expect(posixPath(path)).toBe(`./${path}`);
});
