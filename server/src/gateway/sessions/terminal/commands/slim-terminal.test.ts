import { createRequire } from 'node:module';
import type xterm from '@xterm/headless';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../../../testing/property-runs.ts';
import { slimTerminal } from './slim-terminal.ts';

const { Terminal } = createRequire(import.meta.url)('@xterm/headless') as typeof xterm;

const make = () => new Terminal({ cols: 30, rows: 8, scrollback: 20, allowProposedApi: true, logLevel: 'off' });

/** Everything that can be seen of a terminal: each cell with its colours, the cursor, the modes. */
function seen(terminal: xterm.Terminal) {
  const { active, normal } = terminal.buffer;
  const rows = Array.from({ length: active.length }, (_, row) => {
    const line = active.getLine(row);
    const cells = Array.from({ length: terminal.cols }, (_cell, column) => {
      const cell = line?.getCell(column);
      return [cell?.getChars(), cell?.getWidth(), cell?.getFgColor(), cell?.getBgColor(), cell?.isBold()].join();
    });
    return [line?.isWrapped, ...cells].join('|');
  });
  return { rows, cursor: [active.cursorX, active.cursorY, active.baseY, active.type, normal.length], modes: terminal.modes };
}

const write = (terminal: xterm.Terminal, data: Buffer) => new Promise<void>((done) => terminal.write(data, done));

/** What programs draw lines and other alphabets with: a set for each of the places, then a switch to the place. */
const CHARSETS = ['(', ')', '*', '+', '-', '.', '/', '%', '#'].flatMap((place) => [...'0AB4CRQKYEZH7=`8@G'].map((set) => `\x1b${place}${set}`));
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
const piece = fc.oneof(
  fc.constantFrom(...CHARSETS, ...OTHERS, ...MORE),
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom('lqqkx~`{#@[', '漢字', 'é'),
);

it('a terminal without what it can share shows the same', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 60 }), async (pieces) => {
      const plain = make();
      // Two of them take turns with what they share.
      const slim = [make(), make()];
      for (const terminal of slim) slimTerminal(terminal);
      for (const text of pieces) for (const terminal of [plain, ...slim]) await write(terminal, Buffer.from(text));
      for (const terminal of slim) expect(seen(terminal)).toEqual(seen(plain));
    }),
    runs(60),
  );
});

it('a slim terminal follows sequences that are cut in pieces and pieces that are larger than usual', async () => {
  const text = `\x1b(0${'lqk'.repeat(20)}\x1b(B\x1b)AE#\x0e#\x0f${'long line '.repeat(800)}\x1b*4\x1bn@\x1b[1;1Hend`;
  const [plain, slim] = [make(), make()];
  slimTerminal(slim);
  await write(plain, Buffer.from(text));
  for (const byte of Buffer.from(text)) slim.write(Buffer.from([byte]));
  await write(slim, Buffer.alloc(0));
  expect(seen(slim)).toEqual(seen(plain));
  await write(plain, Buffer.from(text));
  await write(slim, Buffer.from(text));
  expect(seen(slim)).toEqual(seen(plain));
});

it('tells when the library has changed inside', () => {
  expect(() => slimTerminal({} as xterm.Terminal)).toThrow('has changed inside');
});
