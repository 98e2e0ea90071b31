import { createRequire } from 'node:module';
import { runs } from '@sallyport/property-runs';
import type xterm from '@xterm/headless';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { seen, terminalPiece } from '../../../testing/terminal-pieces.ts';
import { slimTerminal } from './slim-terminal.ts';

const { Terminal } = createRequire(import.meta.url)('@xterm/headless') as typeof xterm;

const make = () =>
  new Terminal({ cols: 30, rows: 8, scrollback: 20, allowProposedApi: true, logLevel: 'off' });

const write = (terminal: xterm.Terminal, data: Buffer) =>
  new Promise<void>((done) => terminal.write(data, done));

it('shows the same screen as a full terminal', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(terminalPiece, { minLength: 1, maxLength: 60 }), async (pieces) => {
      const plain = make();
      // Two terminals alternate on the shared buffer.
      const slim = [make(), make()];
      for (const terminal of slim) slimTerminal(terminal);
      for (const text of pieces)
        for (const terminal of [plain, ...slim]) await write(terminal, Buffer.from(text));
      for (const terminal of slim) expect(seen(terminal)).toEqual(seen(plain));
    }),
    runs(60),
  );
});

it('parses split sequences and large chunks like a full terminal', async () => {
  const text =
    `\x1b(0${'lqk'.repeat(20)}\x1b(B\x1b)AE#\x0e#\x0f` +
    `${'long line '.repeat(800)}\x1b*4\x1bn@\x1b[1;1Hend`;
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

it('fails when the internals of the library have changed', () => {
  expect(() => slimTerminal({} as xterm.Terminal)).toThrow('has changed inside');
});
