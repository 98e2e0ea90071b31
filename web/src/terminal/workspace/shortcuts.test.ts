import { describe, expect, it } from 'vitest';
import { SHORTCUTS, shortcutOf } from './shortcuts.ts';

const keys = (code: string, part: Partial<Parameters<typeof shortcutOf>[0]> = {}) => ({
  code,
  ctrlKey: true,
  shiftKey: true,
  altKey: false,
  metaKey: false,
  ...part,
});

describe('the shortcuts of the terminal window', () => {
  it('knows actions and tab numbers', () => {
    expect(shortcutOf(keys('KeyF'))).toBe('find');
    expect(shortcutOf(keys('Digit3'))).toBe(3);
    expect(shortcutOf(keys('KeyQ'))).toBeNull();
  });

  it("leaves to the shell what is the shell's", () => {
    expect(shortcutOf(keys('KeyC', { shiftKey: false }))).toBeNull();
    expect(shortcutOf(keys('KeyF', { ctrlKey: false }))).toBeNull();
    expect(shortcutOf(keys('KeyF', { altKey: true }))).toBeNull();
    expect(shortcutOf(keys('KeyF', { metaKey: true }))).toBeNull();
  });

  it('opens the search with a key that no shell has', () => {
    const meta = { ctrlKey: false, shiftKey: false, metaKey: true };
    expect(shortcutOf(keys('KeyK'))).toBe('palette');
    expect(shortcutOf(keys('KeyK', meta))).toBe('palette');
    expect(shortcutOf(keys('KeyK', { shiftKey: false }))).toBeNull();
    expect(shortcutOf(keys('KeyF', meta))).toBeNull();
  });

  it('gives no key two meanings', () => {
    expect(new Set(SHORTCUTS.map(({ code }) => code)).size).toBe(SHORTCUTS.length);
  });
});
