import { describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS, readSettings } from './settings.ts';

describe('remembered settings', () => {
  it('restores stored settings', () => {
    const chosen = {
      ...DEFAULT_SETTINGS,
      fontSize: 18,
      scheme: 'light',
      copyOnSelect: false,
      scrollback: 50_000,
      panelWidth: 333,
      keyboardLayout: 'de-CH',
      fewColors: true,
    };
    expect(readSettings(JSON.parse(JSON.stringify(chosen)))).toEqual(chosen);
  });

  it('uses the defaults when the stored settings are missing or invalid', () => {
    expect(readSettings(null)).toEqual(DEFAULT_SETTINGS);
    expect(readSettings('x')).toEqual(DEFAULT_SETTINGS);
    expect(
      readSettings({
        fontSize: '20',
        scheme: 'pink',
        font: 'x"; color: red',
        lineHeight: 9,
        cursorStyle: 'none',
        wordSeparators: 5,
        copyOnSelect: 1,
        keyboardLayout: 'de',
        fewColors: 'yes',
        scrollback: 7,
        panelWidth: Number.NaN,
      }),
    ).toEqual(DEFAULT_SETTINGS);
  });

  it('defaults to a dark terminal', () => {
    expect(DEFAULT_SETTINGS.scheme).toBe('dark');
  });

  it('limits values to their range', () => {
    expect(readSettings({ fontSize: 1, panelWidth: 99_999 })).toMatchObject({
      fontSize: 5,
      panelWidth: 640,
    });
    expect(readSettings({ fontSize: 61.4 })).toMatchObject({ fontSize: 60 });
  });
});
