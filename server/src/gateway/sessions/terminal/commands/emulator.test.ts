import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../../../testing/property-runs.ts';
import { EMULATOR_REMEMBERED_BYTES, EMULATOR_REMEMBERED_SIZES } from '../../../limits.ts';
import { seen, terminalPiece } from '../../../testing/terminal-pieces.ts';
import { CommandLineReader } from './command-line.ts';
import { Emulator } from './emulator.ts';

const make = () => new Emulator(30, 8, () => undefined);

/** Until all that was written is interpreted, and the emulator is at rest. */
async function rested(emulator: Emulator): Promise<void> {
  await new Promise<void>((done) => emulator.step(done));
  await new Promise((done) => setImmediate(done));
}

const given = fc.oneof(
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

it('an emulator that was put away shows the same when it is made again, whatever it was given', async () => {
  let slept = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(given, { minLength: 1, maxLength: 60 }), async (pieces) => {
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

it('an emulator is made when it is needed, and again behind a sequence that was cut in half', async () => {
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
  expect(emulator.terminal.buffer.active.getLine(0)?.getCell(0)?.getFgColor()).toBe(1);
  emulator.dispose();
});

it('an emulator stays while it works, on its second screen, and while something holds a place on its screen', async () => {
  const emulator = make();
  emulator.write(Buffer.from('me@box:~$ '));
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
  // The reader looks at the one that is made again.
  expect(reader.mark().prompt).toBe('me@box:~$ ');
  emulator.terminal.markers[0]?.dispose();
  emulator.write(Buffer.from('\x1b[?1049h'));
  await rested(emulator);
  emulator.sleep();
  expect(emulator.isAsleep).toBe(false);
  emulator.dispose();
});

it('an emulator that was given much, or many sizes, is not put away', async () => {
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
