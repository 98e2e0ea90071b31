import { type KeyboardLayout, keyboardLayoutOf } from '@sallyport/contract';

/** The color schemes by name; `auto` is dark or light as the console is. */
export const SCHEME_NAMES = [
  'dark',
  'light',
  'black',
  'forest',
  'plum',
  'amber',
  'sepia',
  'contrast',
] as const;
export type TerminalScheme = 'auto' | (typeof SCHEME_NAMES)[number];
export const CURSOR_STYLES = ['block', 'bar', 'underline'] as const;
/** Common terminal fonts; empty is the system's font. */
export const FONTS = [
  '',
  'JetBrains Mono',
  'Cascadia Mono',
  'Fira Code',
  'Source Code Pro',
  'IBM Plex Mono',
  'Ubuntu Mono',
  'Menlo',
  'Consolas',
  'DejaVu Sans Mono',
  'Liberation Mono',
  'Courier New',
] as const;
export const LINE_HEIGHTS = [1, 1.1, 1.2, 1.3, 1.4, 1.6] as const;
export const WORD_SEPARATORS_MAX = 64;

export interface TerminalSettings {
  readonly fontSize: number;
  readonly scheme: TerminalScheme;
  readonly font: string;
  readonly lineHeight: number;
  readonly cursorStyle: (typeof CURSOR_STYLES)[number];
  /** Characters that end a word for a double click. */
  readonly wordSeparators: string;
  readonly copyOnSelect: boolean;
  readonly rightClickPastes: boolean;
  readonly confirmMultilinePaste: boolean;
  /** Ctrl+C copies a selection and Ctrl+V pastes, as everywhere else in a browser. */
  readonly browserKeys: boolean;
  readonly visualBell: boolean;
  readonly cursorBlink: boolean;
  readonly screenReader: boolean;
  readonly scrollback: number;
  /**
   * The layout of the keyboard at desktops, by language and region; empty follows the languages of
   * the browser.
   */
  readonly keyboardLayout: KeyboardLayout | '';
  /** Desktops of RDP send fewer colors, for a slow line. */
  readonly fewColors: boolean;
  readonly panelWidth: number;
  readonly panelOpen: boolean;
}

export const FONT_SIZES = { smallest: 5, usual: 14, largest: 60 } as const;
export const PANEL_WIDTHS = { smallest: 180, usual: 280, largest: 640 } as const;
export const SCROLLBACKS = [1_000, 5_000, 10_000, 50_000] as const;

export const DEFAULT_SETTINGS: TerminalSettings = {
  fontSize: FONT_SIZES.usual,
  scheme: 'dark',
  font: '',
  // At 1.0 the terminal's own renderer cuts underscores off at some font sizes.
  lineHeight: 1.1,
  cursorStyle: 'block',
  wordSeparators: ' ()[]{},"`|;<>\'',
  copyOnSelect: true,
  rightClickPastes: true,
  confirmMultilinePaste: true,
  browserKeys: true,
  visualBell: true,
  cursorBlink: true,
  screenReader: false,
  scrollback: 5_000,
  keyboardLayout: '',
  fewColors: false,
  panelWidth: PANEL_WIDTHS.usual,
  panelOpen: true,
};

function within(value: unknown, smallest: number, largest: number, usual: number): number {
  return typeof value === 'number' && Number.isFinite(value)
    ? Math.round(Math.min(Math.max(value, smallest), largest))
    : usual;
}

/**
 * Reads stored settings. A missing value, a wrong type or a value out of range becomes the default.
 */
export function readSettings(stored: unknown): TerminalSettings {
  if (typeof stored !== 'object' || stored === null) return DEFAULT_SETTINGS;
  const entries = new Map<string, unknown>(Object.entries(stored));
  const flag = (name: keyof TerminalSettings): boolean => {
    const value = entries.get(name);
    return typeof value === 'boolean' ? value : DEFAULT_SETTINGS[name] === true;
  };
  const oneOf = <T>(name: keyof TerminalSettings, values: readonly T[], usual: T): T =>
    values.find((value) => value === entries.get(name)) ?? usual;
  const separators = entries.get('wordSeparators');
  return {
    fontSize: within(
      entries.get('fontSize'),
      FONT_SIZES.smallest,
      FONT_SIZES.largest,
      FONT_SIZES.usual,
    ),
    scheme: oneOf<TerminalScheme>('scheme', ['auto', ...SCHEME_NAMES], DEFAULT_SETTINGS.scheme),
    font: oneOf<string>('font', FONTS, DEFAULT_SETTINGS.font),
    lineHeight: oneOf<number>('lineHeight', LINE_HEIGHTS, DEFAULT_SETTINGS.lineHeight),
    cursorStyle: oneOf('cursorStyle', CURSOR_STYLES, DEFAULT_SETTINGS.cursorStyle),
    wordSeparators:
      typeof separators === 'string'
        ? separators.slice(0, WORD_SEPARATORS_MAX)
        : DEFAULT_SETTINGS.wordSeparators,
    copyOnSelect: flag('copyOnSelect'),
    rightClickPastes: flag('rightClickPastes'),
    confirmMultilinePaste: flag('confirmMultilinePaste'),
    browserKeys: flag('browserKeys'),
    visualBell: flag('visualBell'),
    cursorBlink: flag('cursorBlink'),
    screenReader: flag('screenReader'),
    scrollback:
      SCROLLBACKS.find((lines) => lines === entries.get('scrollback')) ??
      DEFAULT_SETTINGS.scrollback,
    keyboardLayout: keyboardLayoutOf(entries.get('keyboardLayout')) ?? '',
    fewColors: flag('fewColors'),
    panelWidth: within(
      entries.get('panelWidth'),
      PANEL_WIDTHS.smallest,
      PANEL_WIDTHS.largest,
      PANEL_WIDTHS.usual,
    ),
    panelOpen: flag('panelOpen'),
  };
}
