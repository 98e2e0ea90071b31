import { describe, expect, it } from 'vitest';
import { passwordStrength } from './password-rules.ts';

describe('the strength of a password', () => {
  it.each([
    ['', 0],
    ['a', 1],
    ['123456', 1],
    ['password', 1],
    ['Password1', 1],
    ['aaaaaaaaaaaaaaaa', 1],
    ['abcdefghijklmnop', 1],
    ['tr0ub4dor', 3],
    ['kfqmzx', 2],
    ['kX9#mQ2v', 3],
    ['correct horse battery staple', 4],
    ['kX9#mQ2vT!7w', 4],
    ['堡垒机密码口令', 4],
  ] as const)('rates %j as %i', (password, level) => {
    expect(passwordStrength(password)).toBe(level);
  });

  it('keeps or raises the strength when a new character is added', () => {
    const whole = 'zT4!hW8?qL2#';
    const levels = [...whole].map((_, index) => passwordStrength(whole.slice(0, index + 1)));
    expect(levels).toEqual([...levels].sort((a, b) => a - b));
  });
});
