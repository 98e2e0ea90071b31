import { KEY_VALUE, type RecordedKey } from '@sallyport/contract';
import { codeOf } from '../../rdp-frame/scan-codes.ts';

/** A key: a character, a modifier, or a named key. */
export type NamedKey = { readonly kind: 'character' | 'modifier' | 'named'; readonly name: string };

/** Keys by their X keysym (X11 protocol, appendix A; keysymdef.h). */
const KEYSYMS = new Map<number, string>([
  [0xff08, 'Backspace'],
  [0xff09, 'Tab'],
  [0xff0d, 'Enter'],
  [0xff1b, 'Esc'],
  [0xff50, 'Home'],
  [0xff51, 'Left'],
  [0xff52, 'Up'],
  [0xff53, 'Right'],
  [0xff54, 'Down'],
  [0xff55, 'PageUp'],
  [0xff56, 'PageDown'],
  [0xff57, 'End'],
  [0xff61, 'PrintScreen'],
  [0xff63, 'Insert'],
  [0xff67, 'Menu'],
  [0xff8d, 'Enter'],
  [0xffe5, 'CapsLock'],
  [0xffff, 'Delete'],
]);
const MODIFIER_KEYSYMS = new Map<number, string>([
  [0xfe03, 'AltGr'],
  [0xffe1, 'Shift'],
  [0xffe2, 'Shift'],
  [0xffe3, 'Ctrl'],
  [0xffe4, 'Ctrl'],
  [0xffe7, 'Super'],
  [0xffe8, 'Super'],
  [0xffe9, 'Alt'],
  [0xffea, 'Alt'],
  [0xffeb, 'Super'],
  [0xffec, 'Super'],
]);
const F1 = 0xffbe;

const MODIFIER_CODES: Readonly<Record<string, string>> = {
  Shift: 'Shift',
  Control: 'Ctrl',
  Alt: 'Alt',
  Meta: 'Super',
};
/** Characters of the other keys of a US keyboard, without and with Shift. */
const SIGNS: Readonly<Record<string, readonly [string, string]>> = {
  Backquote: ['`', '~'],
  Minus: ['-', '_'],
  Equal: ['=', '+'],
  BracketLeft: ['[', '{'],
  BracketRight: [']', '}'],
  Backslash: ['\\', '|'],
  Semicolon: [';', ':'],
  Quote: ["'", '"'],
  Comma: [',', '<'],
  Period: ['.', '>'],
  Slash: ['/', '?'],
  Space: [' ', ' '],
  IntlBackslash: ['\\', '|'],
  NumpadMultiply: ['*', '*'],
  NumpadAdd: ['+', '+'],
  NumpadSubtract: ['-', '-'],
  NumpadDivide: ['/', '/'],
  NumpadDecimal: ['.', '.'],
};
const SHIFTED_DIGITS = ')!@#$%^&*(';
const SHORT: Readonly<Record<string, string>> = {
  Escape: 'Esc',
  NumpadEnter: 'Enter',
  ContextMenu: 'Menu',
};

/**
 * Names a recorded key. A scan code says only where a key is: it is named as on a keyboard of the
 * United States.
 */
export function nameOf(
  { kind, value }: Pick<RecordedKey, 'kind' | 'value'>,
  isShifted: boolean,
): NamedKey {
  if (kind === KEY_VALUE.keysym) return ofKeysym(value);
  if (kind === KEY_VALUE.scanCode)
    return ofCode(codeOf(value) ?? `0x${value.toString(16)}`, isShifted);
  return { kind: 'character', name: String.fromCharCode(value) };
}

function ofKeysym(value: number): NamedKey {
  const modifier = MODIFIER_KEYSYMS.get(value);
  if (modifier) return { kind: 'modifier', name: modifier };
  if ((value >= 0x20 && value < 0x7f) || (value >= 0xa0 && value <= 0xff))
    return { kind: 'character', name: String.fromCodePoint(value) };
  const point = value - 0x0100_0000;
  if (point > 0xff && point <= 0x10_ffff)
    return { kind: 'character', name: String.fromCodePoint(point) };
  // The digits and signs of the keypad are those of ASCII, far above.
  if (value >= 0xffaa && value <= 0xffb9)
    return { kind: 'character', name: String.fromCodePoint(value - 0xff80) };
  if (value >= F1 && value < F1 + 24) return { kind: 'named', name: `F${value - F1 + 1}` };
  return { kind: 'named', name: KEYSYMS.get(value) ?? `0x${value.toString(16)}` };
}

function ofCode(code: string, isShifted: boolean): NamedKey {
  const modifier = MODIFIER_CODES[code.replace(/(?:Left|Right)$/, '')];
  if (modifier) return { kind: 'modifier', name: code === 'AltRight' ? 'AltGr' : modifier };
  const letter = /^Key([A-Z])$/.exec(code)?.[1];
  if (letter) return { kind: 'character', name: isShifted ? letter : letter.toLowerCase() };
  const digit = /^(Digit|Numpad)(\d)$/.exec(code);
  if (digit)
    return {
      kind: 'character',
      name: (isShifted && digit[1] === 'Digit' ? SHIFTED_DIGITS[Number(digit[2])] : digit[2]) ?? '',
    };
  const sign = SIGNS[code];
  if (sign) return { kind: 'character', name: sign[isShifted ? 1 : 0] };
  return { kind: 'named', name: SHORT[code] ?? code.replace(/^Arrow/, '') };
}
