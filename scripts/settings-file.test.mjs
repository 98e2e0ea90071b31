import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readSettings } from '../packaging/program/settings-file.mjs';
import { NODE, ROOT } from './lib.mjs';

const read = (text) => readSettings(Buffer.from(text));

// The values are those of systemd 252 (252.39-1~deb12u2), which got the same lines as
// EnvironmentFile=. `npm run packaging -- package` compares with the systemd of its Debian.
describe('a file of settings', () => {
  it.each([
    [
      'removes blanks around a plain value',
      'A=plain value with spaces   ',
      'plain value with spaces',
    ],
    [
      'unescapes four characters in double quotes',
      'A="double \\"q\\" \\$x \\n \\\\ `"',
      'double "q" $x \\n \\ `',
    ],
    ['keeps everything in single quotes', `A='single $x # " ; \\n'`, 'single $x # " ; \\n'],
    ['joins what follows a quoted part', `A='single ' tail`, 'single tail'],
    [
      'keeps quotes and signs of comments inside of a plain value',
      'A=a"b"c # no comment',
      'a"b"c # no comment',
    ],
    ['takes any escaped character', 'A=back\\ slash\\\\', 'back slash\\'],
    ['continues a line after a backslash', 'A=one \\\ntwo', 'one two'],
    ['reads values of several lines', 'A="multi\nline"', 'multi\nline'],
    ['expands nothing', 'A=密码=$HOME`date`$(id)&|<>*?~!%{}', '密码=$HOME`date`$(id)&|<>*?~!%{}'],
    ['reads an empty value', 'A=', ''],
    ['joins parts of both kinds', 'A="a" b "c"', 'ab "c"'],
    ['keeps quotes after an escaped quote', `A='x'\\''y'`, `x''y'`],
    ['keeps tabs', 'A=tab\tin', 'tab\tin'],
    ['removes blanks around the name', '  A  =  spaced', 'spaced'],
    ['keeps an escaped blank at the end', 'A=end\\ ', 'end '],
    ['takes the last of two lines', 'A=1\nA=2', '2'],
    ['reads lines of Windows', 'A=1\r\nB=2\r\n', '1'],
    ['reads the last line without a break', '\n\nA="last', 'last'],
  ])('%s', (_, text, value) => expect(read(text).settings.A).toBe(value));

  it('names ignored lines by their number, without their content', () => {
    const text =
      '# comment \\\n; other\nexport SECRET=1\nNO_VALUE\n1A=x\nB="two\nlines"\nC=\u0001\nD=ok\nE="open\n';
    expect(read(text)).toEqual({
      settings: { B: 'two\nlines', D: 'ok', E: 'open\n' },
      ignored: [
        'line 3 does not begin with the name of a variable and is ignored',
        'line 4 has no "=" and is ignored',
        'line 5 does not begin with the name of a variable and is ignored',
        'line 8 has a control character in its value and is ignored',
        'the quote that begins in line 10 does not end',
      ],
    });
  });

  it('rejects bytes that are not UTF-8', () => {
    expect(() => readSettings(Buffer.from([0x41, 0x3d, 0xff]))).toThrow('it is not UTF-8');
  });
});

describe('a program with the settings of a file', () => {
  let folder;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sallyport-settings-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const run = (file, ...words) =>
    spawnSync(NODE, [join(ROOT, 'packaging/program/with-settings.mjs'), file, ...words], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, A: 'environment', KEPT: 'yes' },
    });

  it('gets the settings before its environment, and ends with the status of the program', () => {
    const file = join(folder, 'settings');
    writeFileSync(file, `A='it$ "own'\nexport B=secret\n`);
    const { status, stdout, stderr } = run(
      file,
      '/bin/sh',
      '-c',
      'printf "%s|%s|%s" "$A" "$KEPT" "$1"; exit 7',
      'sh',
      'a word',
    );
    expect([status, stdout]).toEqual([7, 'it$ "own|yes|a word']);
    expect(stderr).toBe(
      `${file}: line 2 does not begin with the name of a variable and is ignored.\n`,
    );
  });

  it('starts without the file, and not with one that it cannot read', () => {
    expect(run(join(folder, 'none'), '/bin/sh', '-c', 'echo $A')).toMatchObject({
      status: 0,
      stdout: 'environment\n',
      stderr: '',
    });
    const file = join(folder, 'settings');
    writeFileSync(file, Buffer.from([0x41, 0x3d, 0xff]));
    expect(run(file, '/bin/sh', '-c', 'echo started')).toMatchObject({
      status: 78,
      stdout: '',
      stderr: `${file}: it is not UTF-8.\n`,
    });
    expect(run(folder, '/bin/sh', '-c', 'echo started')).toMatchObject({ status: 78, stdout: '' });
  });
});
