import { describe, expect, it } from 'vitest';
import { KEYBOARD_LAYOUTS, keyboardLayoutFor, keyboardLayoutOf } from './desktop-protocol.ts';

describe('layouts of keyboards', () => {
  it("chooses the layout by region, else by language, in the order of the user's languages", () => {
    expect(keyboardLayoutFor(['de-CH', 'en'])).toBe('de-CH');
    expect(keyboardLayoutFor(['de-AT', 'en'])).toBe('de-DE');
    expect(keyboardLayoutFor(['en'])).toBe('en-US');
    expect(keyboardLayoutFor(['tlh', 'fr'])).toBe('fr-FR');
    expect(keyboardLayoutFor(['tlh'])).toBeUndefined();
    expect(keyboardLayoutFor([])).toBeUndefined();
  });

  it('has one number for each layout, and rejects other names', () => {
    expect(new Set(Object.values(KEYBOARD_LAYOUTS)).size).toBe(
      Object.keys(KEYBOARD_LAYOUTS).length,
    );
    expect(keyboardLayoutOf('de-DE')).toBe('de-DE');
    for (const name of ['de', 'constructor', '', 0x407, null])
      expect(keyboardLayoutOf(name)).toBeUndefined();
  });
});
