import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { allowedCommand, patternProblem, shellLine } from './allowed-commands.ts';

const LIST = [
  '# services',
  'systemctl status *',
  'tail -n 100 /var/log/*',
  'ls -l * ...',
  "grep 'a*b' *",
  'id',
  'date --date=*',
].join('\n');
const run = (line: string) => {
  const decided = allowedCommand(LIST, line);
  return typeof decided === 'string' ? decided : decided.line;
};

describe('a line of an account in enforced mode', () => {
  it.each([
    ['id', "'id'"],
    ['  systemctl   status  nginx ', "'systemctl' status nginx"],
    ['"systemctl" \'status\' "a b"', "'systemctl' status 'a b'"],
    ['s\\ystemctl status x', "'systemctl' status x"],
    ['tail -n 100 /var/log/syslog', "'tail' -n 100 /var/log/syslog"],
    ['ls -l a b "c;d"', "'ls' -l a b 'c;d'"],
    ["grep 'a*b' \"it's\"", "'grep' 'a*b' 'it'\\''s'"],
    ["systemctl status '$(id)'", "'systemctl' status '$(id)'"],
    ["systemctl status 'a\\'", "'systemctl' status 'a'\\\\"],
    ['date --date=now', "'date' --date=now"],
    ['systemctl status 服务', "'systemctl' status '服务'"],
  ])('runs %s as %s', (line, sent) => expect(run(line)).toBe(sent));

  it.each([
    'rm -rf /',
    'id x',
    'ID',
    '/usr/bin/id',
    'systemctl',
    'systemctl status',
    'systemctl status a b',
    'systemctl status -H',
    'systemctl status --host=x',
    'systemctl stop nginx',
    'tail -n 100 /var/log/../../etc/shadow',
    'tail -n 100 /var/log/..',
    'tail -n 100 /var/log/a/b',
    'tail -n 100 /etc/shadow',
    'tail -f -n 100 /var/log/syslog',
    'ls -l a -R',
    'ls -l ../a',
    'ls',
    'grep axb file',
    "''",
    'A=1 id',
  ])('rejects %s as not allowed', (line) => expect(run(line)).toBe('command_not_allowed'));

  it.each([
    'id; rm x',
    'id && rm x',
    'id | sh',
    'id > file',
    'id &',
    '(id)',
    '{ id; }',
    'ls -l $HOME',
    'ls -l "$HOME"',
    'ls -l `id`',
    'ls -l "`id`"',
    'ls -l $(id)',
    'ls -l *',
    'ls -l ?',
    'ls -l [a]',
    'ls -l {a,b}',
    'ls -l ~',
    'ls -l ~root',
    'ls -l =sh',
    '! id',
    'id # comment',
    'id\nrm x',
    'id\r',
    'id\tx',
    'id \x1b[A',
    'id \0',
    'ls -l a\u202eb',
    'ls -l a\u200bb',
    'ls -l \u2028',
    "ls -l $'\\n'",
  ])('rejects %j as not plain', (line) => expect(run(line)).toBe('command_not_plain'));

  it.each(['ls -l "a', "ls -l 'a", 'ls -l a\\'])('rejects %s, which ends inside a quote', (line) =>
    expect(run(line)).toBe('command_quote_open'),
  );

  it('rejects empty and overlong lines with their own codes', () => {
    expect([
      run(''),
      run('   '),
      run(`ls -l ${'a'.repeat(5000)}`),
      run(`ls -l${' a'.repeat(400)}`),
    ]).toEqual(['command_empty', 'command_empty', 'command_long', 'command_long']);
  });
});

it.each([
  ['* x', 'pattern_first_word'],
  ['/bin/* x', 'pattern_first_word'],
  ["'' x", 'pattern_first_word'],
  ['ls ... x', 'pattern_dots'],
  ['ls ...', 'pattern_dots'],
  ['ls; id', 'command_not_plain'],
  ['ls "a', 'command_quote_open'],
])('rejects the pattern %s', (pattern, problem) => expect(patternProblem(pattern)).toBe(problem));

it('quotes words so that every shell of this machine sees the checked words', () => {
  const odd = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));
  const words = [
    'printf',
    '%s\\n',
    ...odd,
    ...odd.map((one) => `${one}${one}x`),
    ...odd.map((one) => `a${one}`),
    "a\\'; id '",
    '$(id)',
    '`id`',
    '~root',
    '=sh',
    '-n',
    '',
  ];
  const seen = `${words.slice(2).join('\n')}\n`;
  const shells = ['/bin/sh', '/bin/bash', '/usr/bin/zsh', '/usr/bin/fish', '/bin/busybox'].filter(
    (shell) => existsSync(shell),
  );
  expect(shells.length).toBeGreaterThan(1);
  for (const shell of shells) {
    const line = shellLine(words);
    const output = execFileSync(shell, [...(shell.endsWith('busybox') ? ['sh'] : []), '-c', line], {
      encoding: 'utf8',
    });
    expect([shell, output]).toEqual([shell, seen]);
  }
});
