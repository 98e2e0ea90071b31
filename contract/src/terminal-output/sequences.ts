/** Largest number in a sequence. Emulators repeat as often as a program says. */
const MAX_NUMBER = 9_999;

/** Modes that decide how a screen is drawn: insert. */
const DRAWING_MODES = new Set(['4']);
/** Private ones: inverse, origin, wrap, blinking, cursor, reverse wrap, and the other screen. */
const PRIVATE_DRAWING_MODES = new Set([
  '5',
  '6',
  '7',
  '12',
  '25',
  '45',
  '47',
  '1047',
  '1048',
  '1049',
]);
/** Modes that decide what keys and the mouse send: for viewers who type. */
const PRIVATE_INPUT_MODES = new Set([
  '1',
  '66',
  '1000',
  '1002',
  '1003',
  '1004',
  '1005',
  '1006',
  '1015',
  '2004',
]);

/** CSI sequences that draw, by what follows the numbers. */
const DRAWING = /^(?:[@A-MPSTXZ`abdefgmr]| [@Aq]|!p|"q|'[}~])$/;
/** CSI sequences that draw only without numbers: with numbers they set margins. */
const DRAWING_ALONE = new Set(['s', 'u']);
/** Selective erasing. */
const PRIVATE_DRAWING = new Set(['J', 'K']);

/**
 * ESC sequences that draw: cursor, tabs, shifts, character sets, and the size of a line.
 * `ESC % @`, after which bytes of UTF-8 would be control characters, is none of them.
 */
const ESCAPES = /^(?:[78DEHMNO|}~no]|[()*+./-][0-9A-Z<=>]|#[34568])$/;
const INPUT_ESCAPES = new Set(['=', '>']);

const isSmall = (numbers: string) =>
  numbers.split(/[;:]/).every((one) => one.length <= 6 && Number(one) <= MAX_NUMBER);

/**
 * Clears the screen in place of a reset: a reset also erases the lines above the screen, which are
 * those of the viewer.
 */
const CLEAR = '\x1b[?1049l\x1b[!p\x1b[0m\x0f\x1b(B\x1b[?5l\x1b[?7h\x1b[?25h\x1b[H\x1b[2J';

/**
 * Returns an ESC sequence if it may pass, otherwise nothing. `rest` is the text after ESC. Keypad
 * modes pass to viewers who type.
 */
export function passedEscape(rest: string, types: boolean): string {
  if (rest === 'c') return CLEAR;
  return ESCAPES.test(rest) || (types && INPUT_ESCAPES.has(rest)) ? `\x1b${rest}` : '';
}

/** True for numbers with which ED erases the lines above the screen. */
const erasesHistory = (numbers: string) => numbers.split(/[;:]/).some((one) => Number(one) === 3);

/** Returns what may pass of a CSI sequence. `rest` is the text after the introducer. */
export function passedControl(rest: string, types: boolean): string {
  const [, prefix = '', numbers = '', end = ''] =
    /^([<=>?]?)([\d;:]*)([ -/]*[@-~])$/.exec(rest) ?? [];
  if (end === '' || !isSmall(numbers) || (end === 'J' && erasesHistory(numbers))) return '';
  if (end === 'h' || end === 'l') {
    if (prefix !== '' && prefix !== '?') return '';
    const isAllowed = (mode: string) =>
      prefix === ''
        ? DRAWING_MODES.has(mode)
        : PRIVATE_DRAWING_MODES.has(mode) || (types && PRIVATE_INPUT_MODES.has(mode));
    const modes = numbers.split(';').filter(isAllowed);
    return modes.length > 0 ? `\x1b[${prefix}${modes.join(';')}${end}` : '';
  }
  const isAllowed =
    prefix === ''
      ? // With several numbers, T tracks the mouse.
        (DRAWING.test(end) && !(end === 'T' && /[;:]/.test(numbers))) ||
        (DRAWING_ALONE.has(end) && numbers === '')
      : prefix === '?' && PRIVATE_DRAWING.has(end);
  return isAllowed ? `\x1b[${rest}` : '';
}
