import type { ITheme } from '@xterm/xterm';

/** The default dark palette. Every color except both blacks has a contrast of 4.5:1. */
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

/** The same hues, darkened for a light background. */
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

interface Colors {
  readonly ground: string;
  readonly ink: string;
  readonly cursor: string;
  readonly selection: string;
  readonly hues: string;
  readonly bright: string;
}

/**
 * Builds a palette from background, foreground, cursor and selection, then the eight hues and their
 * bright versions.
 */
function palette({ ground, ink, cursor, selection, hues, bright }: Colors): ITheme {
  const [
    black = '',
    red = '',
    green = '',
    yellow = '',
    blue = '',
    magenta = '',
    cyan = '',
    white = '',
  ] = hues.split(' ');
  const [b0 = '', b1 = '', b2 = '', b3 = '', b4 = '', b5 = '', b6 = '', b7 = ''] =
    bright.split(' ');
  return {
    background: ground,
    foreground: ink,
    cursor,
    cursorAccent: ground,
    selectionBackground: `${selection}cc`,
    selectionInactiveBackground: `${selection}88`,
    scrollbarSliderBackground: `${ink}33`,
    scrollbarSliderHoverBackground: `${ink}55`,
    scrollbarSliderActiveBackground: `${ink}77`,
    ...{ black, red, green, yellow, blue, magenta, cyan, white },
    ...{
      brightBlack: b0,
      brightRed: b1,
      brightGreen: b2,
      brightYellow: b3,
      brightBlue: b4,
      brightMagenta: b5,
      brightCyan: b6,
      brightWhite: b7,
    },
  };
}

const PASTEL = '#fda4a4 #a7e8bd #fbe08a #a8c8ff #e0b8ff #9be7e0 #ffffff';

/** Every scheme, with the brightness of its background. */
export const SCHEMES = {
  dark: { dark: true, palette: DARK_PALETTE },
  light: { dark: false, palette: LIGHT_PALETTE },
  black: {
    dark: true,
    palette: palette({
      ground: '#000000',
      ink: '#e5e5e5',
      cursor: '#ffffff',
      selection: '#3f3f46',
      hues: '#3f3f46 #ff6b6b #5fd787 #ffd75f #7aa7ff #d787ff #5fd7d7 #d4d4d4',
      bright: `#8a8a8a ${PASTEL}`,
    }),
  },
  forest: {
    dark: true,
    palette: palette({
      ground: '#0f1a14',
      ink: '#d5e5d8',
      cursor: '#8fd694',
      selection: '#2f4a38',
      hues: '#26382c #f08a7c #7fcf8a #d9c668 #7db4d8 #c9a0dc #6fcdb8 #c6d6c9',
      bright: `#7f9786 ${PASTEL}`,
    }),
  },
  plum: {
    dark: true,
    palette: palette({
      ground: '#1c1526',
      ink: '#e6dcf2',
      cursor: '#e0a3ff',
      selection: '#46345e',
      hues: '#352a47 #ff7f98 #86d99b #f2cf73 #8fb1ff #d39bff #76d6dc #d5c8e6',
      bright: `#9484ad ${PASTEL}`,
    }),
  },
  amber: {
    dark: true,
    palette: palette({
      ground: '#1a1206',
      ink: '#ffcf7d',
      cursor: '#ffb000',
      selection: '#4d3a14',
      hues: '#3d2f14 #ff8a65 #c5d86d #ffc94d #9db8d9 #e0a0c8 #8fd0c0 #f0d9b0',
      bright: `#a88f5f ${PASTEL}`,
    }),
  },
  sepia: {
    dark: false,
    palette: palette({
      ground: '#f6efe1',
      ink: '#3d3427',
      cursor: '#8a5a00',
      selection: '#dccbaa',
      hues: '#3d3427 #a8261c #3f6b16 #815500 #1f5a96 #7d3188 #17696b #6b5f4d',
      bright: '#75684f #c0392b #487a19 #8f5f00 #2a67a8 #8e3a9a #1c7577 #4a4030',
    }),
  },
  contrast: {
    dark: true,
    palette: palette({
      ground: '#000000',
      ink: '#ffffff',
      cursor: '#ffff00',
      selection: '#0050b0',
      hues: '#5c5c5c #ff7070 #00ff66 #ffff00 #80b0ff #ff80ff #00ffff #ffffff',
      bright: `#b0b0b0 ${PASTEL}`,
    }),
  },
} as const satisfies Readonly<Record<string, { readonly dark: boolean; readonly palette: ITheme }>>;

export type SchemeName = keyof typeof SCHEMES;

export function paletteOf(scheme: SchemeName): ITheme {
  return SCHEMES[scheme].palette;
}

const DEFAULT_FONTS =
  "ui-monospace, 'SF Mono', 'Cascadia Mono', 'JetBrains Mono', Menlo, Consolas, 'DejaVu Sans Mono', 'Noto Sans Mono CJK SC', monospace";

/**
 * Returns the font list of a terminal: the chosen font, then fallbacks. The last ones provide
 * Chinese glyphs.
 */
export function fontStack(font: string): string {
  return font ? `"${font}", ${DEFAULT_FONTS}` : DEFAULT_FONTS;
}
