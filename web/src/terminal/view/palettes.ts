import type { ITheme } from '@xterm/xterm';

/** Ink and teal: the product's own night palette. Every colour keeps 4.5:1 on the ground but the two blacks. */
export const DARK_PALETTE: ITheme = {
  background: '#0b1220',
  foreground: '#d6deeb',
  cursor: '#2dd4bf',
  cursorAccent: '#0b1220',
  selectionBackground: '#2f4d6ecc',
  selectionInactiveBackground: '#24364fcc',
  scrollbarSliderBackground: '#94a3b833',
  scrollbarSliderHoverBackground: '#94a3b855',
  scrollbarSliderActiveBackground: '#94a3b877',
  black: '#1e293b',
  red: '#f87171',
  green: '#4ade80',
  yellow: '#facc15',
  blue: '#60a5fa',
  magenta: '#c084fc',
  cyan: '#2dd4bf',
  white: '#cbd5e1',
  brightBlack: '#7387a3',
  brightRed: '#fca5a5',
  brightGreen: '#86efac',
  brightYellow: '#fde047',
  brightBlue: '#93c5fd',
  brightMagenta: '#d8b4fe',
  brightCyan: '#5eead4',
  brightWhite: '#f8fafc',
};

/** The same hues on paper, darkened until they read. */
export const LIGHT_PALETTE: ITheme = {
  background: '#fbfcfe',
  foreground: '#1b2536',
  cursor: '#0d9488',
  cursorAccent: '#fbfcfe',
  selectionBackground: '#b6d8f0b3',
  selectionInactiveBackground: '#d4e3f0b3',
  scrollbarSliderBackground: '#47556933',
  scrollbarSliderHoverBackground: '#47556955',
  scrollbarSliderActiveBackground: '#47556977',
  black: '#1b2536',
  red: '#b91c1c',
  green: '#15803d',
  yellow: '#8a5a00',
  blue: '#1d4ed8',
  magenta: '#7e22ce',
  cyan: '#0f766e',
  white: '#5b6b82',
  brightBlack: '#64748b',
  brightRed: '#dc2626',
  brightGreen: '#0d7a3a',
  brightYellow: '#a15c07',
  brightBlue: '#2563eb',
  brightMagenta: '#9333ea',
  brightCyan: '#0e7490',
  brightWhite: '#334155',
};

/** The palette of a colour scheme. */
export function paletteOf(scheme: 'light' | 'dark'): ITheme {
  return scheme === 'dark' ? DARK_PALETTE : LIGHT_PALETTE;
}

/** What terminals are set in; the last names carry Chinese where the first have none. */
export const TERMINAL_FONT =
  "ui-monospace, 'SF Mono', 'Cascadia Mono', 'JetBrains Mono', Menlo, Consolas, 'DejaVu Sans Mono', 'Noto Sans Mono CJK SC', monospace";
