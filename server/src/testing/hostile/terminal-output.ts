/** Output of a program that attacks terminals and their viewers. Tests repeat it. */
export interface TerminalFlood {
  readonly name: string;
  /** Sent once, before the rest. */
  readonly start?: string;
  /** The part with an index, for a screen of 80 x 24. */
  readonly part: (index: number) => string;
  /** A few bytes change all cells, so a test needs fewer of them. */
  readonly isCostly?: boolean;
}

const costly = (name: string, part: string): TerminalFlood => ({
  name,
  part: () => part,
  isCostly: true,
});
const flood = (name: string, part: string, start = ''): TerminalFlood => ({
  name,
  start,
  part: () => part,
});
const colors = (index: number) => `${index & 255};${(index >> 8) & 255};7`;

/** Floods of terminal sequences that fill memory or processor time of emulators. */
export const TERMINAL_FLOODS: readonly TerminalFlood[] = [
  flood('a title without an end', 'title ', '\x1b]0;'),
  flood('a title without an end by a C1 control', 'title ', '\u009d0;'),
  flood('a clipboard without an end', 'QUJD', '\x1b]52;c;'),
  flood('a color table without an end', '1;#123456;', '\x1b]4;'),
  { name: 'links on one row', part: (index) => `\x1b]8;;http://x/${index}\x1b\\` },
  { name: 'links with names', part: (index) => `\x1b]8;id=${index};http://x/\x07a\r` },
  flood('a link with an address without an end', 'http://', '\x1b]8;id=1;'),
  flood('a sixel picture without an end', '#1!9999~-', '\x1bPq'),
  flood('a request of settings without an end', 'm', '\x1bP$q'),
  flood('an application string without an end', 'x', '\x1b_'),
  flood(
    'requests that a terminal answers',
    '\x1b[6n\x1b[c\x1b[>c\x1b[?1$p\x1bP$qm\x1b\\\x1b]10;?\x07',
  ),
  flood('a sequence without an end', '1;', '\x1b['),
  flood('subparameters without an end', '1:', '\x1b[38:'),
  flood('nested escapes', '\x1b\x1b[\x1b]\x1bP'),
  flood('repetitions of two billion', 'x\x1b[2147483647b'),
  costly('repetitions of a row', 'x\x1b[80b'),
  flood('tabs of two billion', '\x1b[2147483647I\x1b[2147483647Z'),
  flood('lines of 10,000 columns', `${'wide '.repeat(2000)}\r\n`),
  flood('marks over one character', '\u0301'),
  flood('marks over each character', 'e\u0301\u0302'),
  costly(
    'repetitions of a cell with many marks',
    `e${'\u0301'.repeat(500)}${'\x1b[80b'.repeat(20)}`,
  ),
  flood('joined emoji', '👩\u200d'),
  { name: 'an underline color for each cell', part: (index) => `\x1b[4:3;58;2;${colors(index)}mx` },
  { name: 'a color for each cell', part: (index) => `\x1b[38;2;${colors(index)}mx` },
  costly('resets of the terminal', '\x1bc'),
  costly('screens of E', '\x1b#8'),
  costly('erased screens', '\x1b[H\x1b[J\x1b[2J\x1b[3J'),
  costly('scrolled screens', '\x1b[24S\x1b[24T'),
  costly('inserted lines', '\x1b[H\x1b[24L'),
  costly('deleted lines', '\x1b[H\x1b[24M'),
  flood('inserted and deleted cells', '\r\x1b[80@\x1b[80P\x1b[80X'),
  costly('moved columns', '\x1b[ @\x1b[ A'),
  flood('scroll regions', '\x1b[2;23r\x1b[23H\n\x1b[2H\x1bM'),
  costly('switches of the screen', '\x1b[?1049h\x1b[?1049l'),
  flood('saved titles', '\x1b[22;0t'),
  flood('tab stops', '\x1bH\t\x1b[3g'),
  flood('wide characters that overwrite each other', '中\b'),
  flood('invalid UTF-8 and zero bytes', '\ud800\0\x7f'),
];

/** Returns at least `bytes` of a flood, from part `from` on. */
export function floodOf({ start = '', part }: TerminalFlood, bytes: number): Buffer {
  const parts = [start];
  for (let [length, index] = [start.length, 0]; length < bytes; index++) {
    const next = part(index);
    parts.push(next);
    length += next.length;
  }
  return Buffer.from(parts.join(''));
}
