export type TerminalScheme = 'auto' | 'dark' | 'light';

export interface TerminalSettings {
  readonly fontSize: number;
  readonly scheme: TerminalScheme;
  readonly copyOnSelect: boolean;
  readonly rightClickPastes: boolean;
  readonly confirmMultilinePaste: boolean;
  /** Ctrl+C copies a selection and Ctrl+V pastes, as everywhere else in a browser. */
  readonly browserKeys: boolean;
  readonly visualBell: boolean;
  readonly cursorBlink: boolean;
  readonly screenReader: boolean;
  readonly scrollback: number;
  readonly panelWidth: number;
  readonly panelOpen: boolean;
}

export const FONT_SIZES = { smallest: 5, usual: 14, largest: 60 } as const;
export const PANEL_WIDTHS = { smallest: 180, usual: 280, largest: 640 } as const;
export const SCROLLBACKS = [1_000, 5_000, 10_000, 50_000] as const;

export const DEFAULT_SETTINGS: TerminalSettings = {
  fontSize: FONT_SIZES.usual,
  scheme: 'auto',
  copyOnSelect: true,
  rightClickPastes: true,
  confirmMultilinePaste: true,
  browserKeys: true,
  visualBell: true,
  cursorBlink: true,
  screenReader: false,
  scrollback: 5_000,
  panelWidth: PANEL_WIDTHS.usual,
  panelOpen: true,
};

function within(value: unknown, smallest: number, largest: number, usual: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.round(Math.min(Math.max(value, smallest), largest)) : usual;
}

/** Reads remembered settings; what is missing, of a wrong type or out of bounds becomes the usual value. */
export function readSettings(stored: unknown): TerminalSettings {
  if (typeof stored !== 'object' || stored === null) return DEFAULT_SETTINGS;
  const given = new Map<string, unknown>(Object.entries(stored));
  const flag = (name: keyof TerminalSettings): boolean => {
    const value = given.get(name);
    return typeof value === 'boolean' ? value : DEFAULT_SETTINGS[name] === true;
  };
  const scheme = given.get('scheme');
  return {
    fontSize: within(given.get('fontSize'), FONT_SIZES.smallest, FONT_SIZES.largest, FONT_SIZES.usual),
    scheme: scheme === 'dark' || scheme === 'light' ? scheme : 'auto',
    copyOnSelect: flag('copyOnSelect'),
    rightClickPastes: flag('rightClickPastes'),
    confirmMultilinePaste: flag('confirmMultilinePaste'),
    browserKeys: flag('browserKeys'),
    visualBell: flag('visualBell'),
    cursorBlink: flag('cursorBlink'),
    screenReader: flag('screenReader'),
    scrollback: SCROLLBACKS.find((lines) => lines === given.get('scrollback')) ?? DEFAULT_SETTINGS.scrollback,
    panelWidth: within(given.get('panelWidth'), PANEL_WIDTHS.smallest, PANEL_WIDTHS.largest, PANEL_WIDTHS.usual),
    panelOpen: flag('panelOpen'),
  };
}
