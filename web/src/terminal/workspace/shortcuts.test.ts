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
  it('returns the action or tab number of a shortcut', () => {
    expect(shortcutOf(keys('KeyF'))).toBe('find');
    expect(shortcutOf(keys('Digit3'))).toBe(3);
    expect(shortcutOf(keys('KeyQ'))).toBeNull();
  });

  it('returns null for keys of the shell', () => {
    expect(shortcutOf(keys('KeyC', { shiftKey: false }))).toBeNull();
    expect(shortcutOf(keys('KeyF', { ctrlKey: false }))).toBeNull();
    expect(shortcutOf(keys('KeyF', { altKey: true }))).toBeNull();
    expect(shortcutOf(keys('KeyF', { metaKey: true }))).toBeNull();
  });

  it('opens the search with Ctrl+Shift+K or ⌘K, but not with Ctrl+K', () => {
    const meta = { ctrlKey: false, shiftKey: false, metaKey: true };
    expect(shortcutOf(keys('KeyK'))).toBe('palette');
    expect(shortcutOf(keys('KeyK', meta))).toBe('palette');
    expect(shortcutOf(keys('KeyK', { shiftKey: false }))).toBeNull();
    expect(shortcutOf(keys('KeyF', meta))).toBeNull();
  });

  it('assigns each key once', () => {
    expect(new Set(SHORTCUTS.map(({ code }) => code)).size).toBe(SHORTCUTS.length);
  });
});
