import { runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { seen, terminalPiece } from '../../../../testing/terminals/terminal-pieces.ts';
import { EMULATOR_REMEMBERED_BYTES, EMULATOR_REMEMBERED_SIZES } from '../../../limits.ts';
import { CommandLineReader } from './command-line.ts';
import { Emulator } from './emulator.ts';

const make = () => new Emulator(30, 8, () => undefined);

/** Waits until all output is interpreted and the emulator is at rest. */
async function rested(emulator: Emulator): Promise<void> {
  await new Promise<void>((done) => emulator.step(done));
  await new Promise((done) => setImmediate(done));
}

const operations = fc.oneof(
  { weight: 5, arbitrary: terminalPiece },
  {
    weight: 1,
    arbitrary: fc.record({
      cols: fc.integer({ min: 2, max: 60 }),
      rows: fc.integer({ min: 2, max: 20 }),
    }),
  },
  { weight: 2, arbitrary: fc.constant('sleep' as const).map((kind) => ({ kind })) },
);

it('shows the same screen after sleeping and waking, for any output and sizes', async () => {
  let slept = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(operations, { minLength: 1, maxLength: 60 }), async (pieces) => {
      const [sleeper, other] = [make(), make()];
      for (const one of pieces) {
        if (typeof one === 'string')
          for (const emulator of [sleeper, other]) emulator.write(Buffer.from(one));
        else if ('cols' in one)
          for (const emulator of [sleeper, other])
            emulator.step(() => emulator.resize(one.cols, one.rows));
        else {
          await rested(sleeper);
          sleeper.sleep();
          slept += sleeper.isAsleep ? 1 : 0;
        }
      }
      for (const emulator of [sleeper, other]) await rested(emulator);
      sleeper.sleep();
      expect(seen(sleeper.terminal)).toEqual(seen(other.terminal));
      for (const emulator of [sleeper, other]) emulator.dispose();
    }),
    runs(60),
  );
  expect(slept).toBeGreaterThan(0);
});

it('creates the emulator on first use, and again in the middle of a sequence', async () => {
  const emulator = make();
  expect(emulator.isAsleep).toBe(true);
  emulator.write(Buffer.from('\x1b[3'));
  await rested(emulator);
  emulator.sleep();
  expect(emulator.isAsleep).toBe(true);
  emulator.write(Buffer.from('1mred \xe6\xbc', 'latin1'));
  await rested(emulator);
  emulator.sleep();
  emulator.write(Buffer.from('\xa2 end', 'latin1'));
  await rested(emulator);
  expect(emulator.terminal.buffer.active.getLine(0)?.translateToString(true)).toBe('red 漢 end');
  emulator.dispose();
});

it.each([1, 2, 3, 5, 256])(
  'shows every character of output in pieces of %i bytes',
  async (size) => {
    const letters = [
      0xa0, 0x100, 0x400, 0x1000, 0x2010, 0x3001, 0x4e00, 0x5000, 0xa002, 0xac00, 0x20000,
    ];
    for (const letter of letters) {
      const text = `x${String.fromCodePoint(letter).repeat(200)}`;
      const emulator = new Emulator(500, 8, () => undefined);
      const bytes = Buffer.from(text);
      for (let from = 0; from < bytes.length; from += size)
        emulator.write(bytes.subarray(from, from + size));
      await rested(emulator);
      expect(emulator.terminal.buffer.active.getLine(0)?.translateToString(true)).toBe(text);
      emulator.dispose();
    }
  },
);

it('keeps the emulator while it works, shows the alternate screen or holds a marker', async () => {
  const emulator = make();
  emulator.write(Buffer.from('me@box'));
  await rested(emulator);
  emulator.write(Buffer.from(':~$ '));
  emulator.sleep();
  expect(emulator.isAsleep).toBe(false);
  await rested(emulator);
  const reader = new CommandLineReader(emulator);
  const start = reader.mark();
  emulator.sleep();
  expect(emulator.isAsleep).toBe(false);
  emulator.write(Buffer.from('ls\r\nfile\r\nme@box:~$ '));
  await rested(emulator);
  start.marker?.dispose();
  emulator.sleep();
  expect(emulator.isAsleep).toBe(true);
  // The reader uses the recreated emulator.
  expect(reader.mark().prompt).toBe('me@box:~$ ');
  emulator.terminal.markers[0]?.dispose();
  emulator.write(Buffer.from('\x1b[?1049h'));
  await rested(emulator);
  emulator.sleep();
  expect(emulator.isAsleep).toBe(false);
  emulator.dispose();
});

it('keeps an emulator with too much output or too many sizes to replay', async () => {
  const [much, many] = [make(), make()];
  much.write(Buffer.alloc(EMULATOR_REMEMBERED_BYTES + 1, 'a line\r\n'));
  for (let turn = 0; turn <= EMULATOR_REMEMBERED_SIZES; turn++) many.resize(30 + (turn % 2), 8);
  for (const emulator of [much, many]) {
    await rested(emulator);
    emulator.sleep();
    expect(emulator.isAsleep).toBe(false);
    emulator.dispose();
  }
});
