import { describe, expect, it } from 'vitest';
import { KEYBOARD_LAYOUTS, keyboardLayoutFor, keyboardLayoutOf } from './keyboard-layouts.ts';

describe('layouts of keyboards', () => {
  it('follow the languages of a person: the region where it is known, otherwise the language, in their order', () => {
    expect(keyboardLayoutFor(['de-CH', 'en'])).toBe('de-CH');
    expect(keyboardLayoutFor(['de-AT', 'en'])).toBe('de-DE');
    expect(keyboardLayoutFor(['en'])).toBe('en-US');
    expect(keyboardLayoutFor(['tlh', 'fr'])).toBe('fr-FR');
    expect(keyboardLayoutFor(['tlh'])).toBeUndefined();
    expect(keyboardLayoutFor([])).toBeUndefined();
  });

  it('have one number each, and no other names', () => {
    expect(new Set(Object.values(KEYBOARD_LAYOUTS)).size).toBe(
      Object.keys(KEYBOARD_LAYOUTS).length,
    );
    expect(keyboardLayoutOf('de-DE')).toBe('de-DE');
    for (const name of ['de', 'constructor', '', 0x407, null])
      expect(keyboardLayoutOf(name)).toBeUndefined();
  });
});
