import { describe, expect, it } from 'vitest';
import { compileRule, contentProblem, type RuleRow, requiredLiteral } from './compile.ts';
import { decide, inOrder } from './decide.ts';

const rule = (content: string, more: Partial<RuleRow> = {}) =>
  compileRule({
    id: crypto.randomUUID(),
    type: 'command',
    priority: 50,
    action: 0,
    terms: null,
    message: '',
    word: '',
    minutes: 5,
    filter: 'a filter',
    content,
    ...more,
  });
const pattern = (content: string, more: Partial<RuleRow> = {}) =>
  rule(content, { type: 'regex', ...more });

describe('a list of commands', () => {
  it.each([
    ['rm', 'rm -rf /', 'rm'],
    ['rm', 'sudo rm x', 'rm'],
    ['rm', 'cd /;rm x', 'rm'],
    ['rm', 'rmdir x', undefined],
    ['rm', 'farm x', undefined],
    ['rm', 'érm x', undefined],
    ['rm -rf', 'rm   \t -rf x', 'rm   \t -rf'],
    ['rm -rf', 'rm -r -f x', undefined],
    ['/bin/rm', '/bin/rm x', '/bin/rm'],
    ['a.c', 'abc', undefined],
    ['reboot\n\nshutdown now', 'shutdown now', 'shutdown now'],
    ['mkfs.', 'mkfs.ext4 /dev/sda', 'mkfs.'],
    ['[ (', 'echo [ (', '[ ('],
  ])('finds commands of %j in %j: %j', (content, line, found) =>
    expect(rule(content).find(line)).toBe(found),
  );
});

describe('a regular expression', () => {
  it.each([
    ['rm\\s+-\\w*r', 'rm -fr /', 'rm -fr'],
    ['^reboot$', 'reboot', 'reboot'],
    ['^reboot$', 'sudo reboot', undefined],
    ['(?i)drop table', 'DROP TABLE x', 'DROP TABLE'],
    ['drop|truncate', 'truncate x', 'truncate'],
    ['(?i)drop table', 'drop Table', 'drop Table'],
    ['(?i)task', 'taſ\u212a', 'taſ\u212a'],
    ['(?i)drop', 'delete', undefined],
    ['a[b(]c', 'xa(c', 'a(c'],
    ['colou?r', 'color', 'color'],
  ])('finds pattern %j in %j: %j', (content, line, found) =>
    expect(pattern(content).find(line)).toBe(found),
  );

  it.each([
    ['(a', 'not_re2'],
    ['a{1001}', 'not_re2'],
    ['(?=a)', 'not_re2'],
    ['(a)\\1', 'not_re2'],
    ['[z-a]', 'not_re2'],
    ['\\pL{900}'.repeat(6), 'pattern_too_large'],
  ])('rejects the pattern %j', (content, code) =>
    expect(contentProblem('regex', content)?.code).toBe(code),
  );

  it('searches a pattern that backtracks elsewhere in time proportional to the line', () => {
    expect(contentProblem('regex', '^(a+)+$')).toBeUndefined();
    const evil = pattern('^(\\w+\\s?)*$');
    const started = process.cpuUsage().user;
    expect(evil.find(`${'a'.repeat(4000)}!`)).toBeUndefined();
    // A backtracking engine would run longer than the age of the universe.
    expect(process.cpuUsage().user - started).toBeLessThan(5_000_000);
  });

  it('skips a pattern exactly if the line lacks a text that it requires', () => {
    const expectedLiterals = {
      'rm\\s+-rf': '-rf',
      'ab?cd': 'cd',
      'ab+cd': 'ab',
      '(foo)bar': 'bar',
      '[abc]def': 'def',
      '\\bhalt\\b': 'halt',
      'x\\.yz': 'x.yz',
      '(?:ab|cd)\\s+/dev': '/dev',
    };
    for (const [content, literal] of Object.entries(expectedLiterals))
      expect([content, requiredLiteral(content)]).toEqual([content, literal]);
    for (const none of [
      'a|bc',
      '(?i)abc',
      '(?:ab)c|de',
      'a*b*',
      '(abc)?',
      '\\Qabc\\E',
      '[[:alpha:]]abc',
      '(ab|cd)',
      'a{0,2}b',
      '\\pLabc',
      '[]abc]',
    ]) {
      expect([none, requiredLiteral(none)]).toEqual([none, undefined]);
    }
  });
});

describe('rules together', () => {
  const verdict = (rules: ReturnType<typeof rule>[], line: string) =>
    decide(inOrder(rules), line).isAllowed;

  it('decides by the highest priority, deny before allow, and allows without a match', () => {
    expect(verdict([], 'rm')).toBe(true);
    expect(verdict([rule('rm')], 'ls')).toBe(true);
    expect(
      verdict([rule('rm', { priority: 10 }), rule('rm', { priority: 90, action: 1 })], 'rm'),
    ).toBe(true);
    expect(
      verdict([rule('rm', { priority: 90 }), rule('rm', { priority: 10, action: 1 })], 'rm'),
    ).toBe(false);
    expect(verdict([rule('rm', { action: 1 }), rule('rm')], 'rm')).toBe(false);
    const allowList = [
      pattern('^uptime$', { action: 1, priority: 90 }),
      pattern('.', { priority: 1 }),
    ];
    expect([verdict(allowList, 'uptime'), verdict(allowList, 'uptime; rm')]).toEqual([true, false]);
  });

  it('skips a rule outside of its condition, in each spelling, and reads the next one', () => {
    const rules = inOrder([
      rule('rm', { priority: 90, id: 'night' }),
      rule('rm x', { id: 'always' }),
    ]);
    const at = (line: string, isNight: boolean) =>
      decide(rules, line, ({ id }) => isNight || id !== 'night').rule?.id;
    for (const line of ['rm x', "r''m x"])
      expect([at(line, true), at(line, false)]).toEqual(['night', 'always']);
    expect([at('rm y', true), at('rm y', false)]).toEqual(['night', undefined]);
  });

  it('denies a disguised command, and never allows by a disguise', () => {
    for (const line of [
      "r''m x",
      'r\\m x',
      '"rm" x',
      "$'\\x72m' x",
      'a=r;b=m;$a$b x',
      `r\${z}m x`,
      'r$@m x',
      '{rm,-rf,x}',
      'r\u200bm x',
      'ｒｍ x',
      'echo cm0gLXJmIHg= | base64 -d | sh',
      `rm\${IFS}x`,
    ]) {
      expect([line, verdict([rule('rm')], line)]).toEqual([line, false]);
    }
    expect(verdict([pattern('^rm x$', { action: 1, priority: 90 }), rule('rm')], "r''m x")).toBe(
      false,
    );
  });

  it('denies everything by a stored pattern that is invalid', () => {
    expect(verdict([pattern('(a', { action: 1 })], 'ls')).toBe(false);
  });
});
