/**
 * Scan codes by physical key (UI Events KeyboardEvent code values; set 1, with 0xe000 for extended
 * keys). The layout of the server decides the character.
 */
const PLAIN: readonly (readonly [from: number, ...names: readonly string[]])[] = [
  [
    0x01,
    'Escape',
    'Digit1',
    'Digit2',
    'Digit3',
    'Digit4',
    'Digit5',
    'Digit6',
    'Digit7',
    'Digit8',
    'Digit9',
    'Digit0',
    'Minus',
    'Equal',
    'Backspace',
    'Tab',
  ],
  [
    0x10,
    'KeyQ',
    'KeyW',
    'KeyE',
    'KeyR',
    'KeyT',
    'KeyY',
    'KeyU',
    'KeyI',
    'KeyO',
    'KeyP',
    'BracketLeft',
    'BracketRight',
    'Enter',
    'ControlLeft',
  ],
  [
    0x1e,
    'KeyA',
    'KeyS',
    'KeyD',
    'KeyF',
    'KeyG',
    'KeyH',
    'KeyJ',
    'KeyK',
    'KeyL',
    'Semicolon',
    'Quote',
    'Backquote',
    'ShiftLeft',
    'Backslash',
  ],
  [
    0x2c,
    'KeyZ',
    'KeyX',
    'KeyC',
    'KeyV',
    'KeyB',
    'KeyN',
    'KeyM',
    'Comma',
    'Period',
    'Slash',
    'ShiftRight',
    'NumpadMultiply',
    'AltLeft',
    'Space',
    'CapsLock',
  ],
  [
    0x3b,
    'F1',
    'F2',
    'F3',
    'F4',
    'F5',
    'F6',
    'F7',
    'F8',
    'F9',
    'F10',
    'NumLock',
    'ScrollLock',
    'Numpad7',
    'Numpad8',
    'Numpad9',
    'NumpadSubtract',
  ],
  [
    0x4b,
    'Numpad4',
    'Numpad5',
    'Numpad6',
    'NumpadAdd',
    'Numpad1',
    'Numpad2',
    'Numpad3',
    'Numpad0',
    'NumpadDecimal',
  ],
  [0x56, 'IntlBackslash', 'F11', 'F12'],
  [0x70, 'KanaMode'],
  [0x73, 'IntlRo'],
  [0x79, 'Convert'],
  [0x7b, 'NonConvert'],
  [0x7d, 'IntlYen'],
];

const EXTENDED: Readonly<Record<string, number>> = {
  NumpadEnter: 0x1c,
  ControlRight: 0x1d,
  NumpadDivide: 0x35,
  PrintScreen: 0x37,
  AltRight: 0x38,
  Home: 0x47,
  ArrowUp: 0x48,
  PageUp: 0x49,
  ArrowLeft: 0x4b,
  ArrowRight: 0x4d,
  End: 0x4f,
  ArrowDown: 0x50,
  PageDown: 0x51,
  Insert: 0x52,
  Delete: 0x53,
  MetaLeft: 0x5b,
  MetaRight: 0x5c,
  ContextMenu: 0x5d,
};

const CODES = new Map<string, number>([
  ...PLAIN.flatMap(([from, ...names]) => names.map((name, index) => [name, from + index] as const)),
  ...Object.entries(EXTENDED).map(([name, code]) => [name, 0xe000 | code] as const),
]);

const NAMES = new Map([...CODES].map(([name, code]) => [code, name]));

/** Returns the `code` of a scan code, or undefined for an unknown scan code. */
export function codeOf(scanCode: number): string | undefined {
  return NAMES.get(scanCode);
}

/** Returns the scan code of a `code`, or undefined for a key without one. */
export function scanCodeOf(code: string): number | undefined {
  return CODES.get(code);
}
