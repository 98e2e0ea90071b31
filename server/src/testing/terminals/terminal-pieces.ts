import type xterm from '@xterm/headless';
import fc from 'fast-check';

/** The visible state of a terminal: cells with colors, cursor, and modes. */
export function seen(terminal: xterm.Terminal) {
  const { active, normal } = terminal.buffer;
  const rows = Array.from({ length: active.length }, (_, row) => {
    const line = active.getLine(row);
    const cells = Array.from({ length: terminal.cols }, (_cell, column) => {
      const cell = line?.getCell(column);
      return [
        cell?.getChars(),
        cell?.getWidth(),
        cell?.getFgColor(),
        cell?.getBgColor(),
        cell?.isBold(),
      ].join();
    });
    return [line?.isWrapped, ...cells].join('|');
  });
  return {
    rows,
    cursor: [active.cursorX, active.cursorY, active.baseY, active.type, normal.length],
    modes: terminal.modes,
  };
}

/**
 * Charset sequences, for line drawing and other alphabets: one per set and slot, followed by a
 * switch to the slot.
 */
const CHARSETS = ['(', ')', '*', '+', '-', '.', '/', '%', '#'].flatMap((place) =>
  [...'0AB4CRQKYEZH7=`8@G'].map((set) => `\x1b${place}${set}`),
);
const OTHERS = [
  '\x0e',
  '\x0f',
  '\x1bn',
  '\x1bo',
  '\x1b|',
  '\x1b~',
  '\x1b7',
  '\x1b8',
  '\x1bM',
  '\x1bc',
  '\x1b[3;4H',
  '\x1b[2J',
  '\x1b[K',
  '\x1b[31;1m',
  '\x1b[20h',
];
const MORE = [
  '\x1b[?1049h',
  '\x1b[?1049l',
  '\x1b[?2004h',
  '\x1b[4h',
  '\x1b[2;5r',
  '\x1b[3L',
  '\x1b[!p',
  '\x1b]2;title\x07',
  '\x1bP$qm\x1b\\',
  '\x1b[b',
  '\r\n',
  '\t',
];
/** A random piece of terminal output. */
export const terminalPiece = fc.oneof(
  fc.constantFrom(...CHARSETS, ...OTHERS, ...MORE),
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom('lqqkx~`{#@[', '漢字', 'é'),
);
