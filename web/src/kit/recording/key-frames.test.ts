import headless from '@xterm/headless';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addKeyFrames } from './key-frames.ts';
import { type Recording, RecordingReader } from './recording.ts';

const HEADER = '{"version":2,"width":80,"height":24,"timestamp":1}\n';
/** Characters between two key frames. */
const EVERY = 2048;
const FILLER = `${'the quick brown fox '.repeat(3)}\r\n`.repeat(8);

/** Random pieces of output. */
const SOME = { minLength: 4, maxLength: 12 };

const newTerminal = () =>
  new headless.Terminal({ cols: 80, rows: 24, scrollback: 300, allowProposedApi: true });
type Emulator = ReturnType<typeof newTerminal>;

function recordingOf(events: readonly (readonly [code: string, data: string])[]): Recording {
  const reader = new RecordingReader();
  reader.push(HEADER);
  for (const [index, [code, data]] of events.entries())
    reader.push(`${JSON.stringify([index, code, data])}\n`);
  return reader.end();
}

/** Draws the events of a range, with changes of the size. */
async function draw(terminal: Emulator, recording: Recording, from: number, until: number) {
  for (let index = from; index < until; index++) {
    await recording.read?.(index);
    const event = recording.events[index];
    if (event?.kind === 'resize') terminal.resize(event.cols, event.rows);
    else await new Promise<void>((done) => terminal.write(event?.text ?? '', done));
  }
}

/** The visible screen with colors, and where the cursor is. */
function screenOf(terminal: Emulator) {
  const { active } = terminal.buffer;
  const rows = Array.from({ length: terminal.rows }, (_, row) => {
    const line = active.getLine(active.baseY + row);
    return Array.from({ length: terminal.cols }, (_cell, column) => {
      const cell = line?.getCell(column);
      const text = cell?.getChars() || ' ';
      // An empty cell shows its background only: half of a character that was overwritten keeps a
      // color of text.
      const isSeen = text !== ' ' || cell?.isInverse();
      const ofText = isSeen ? [cell?.getFgColor(), cell?.isBold()] : [];
      return `${text}${[...ofText, cell?.getBgColor(), cell?.isInverse()].join()}`;
    }).join('');
  });
  return { rows, cursor: [active.cursorX, active.cursorY, active.type] };
}

async function withKeyFrames(recording: Recording): Promise<Recording> {
  const terminal = newTerminal();
  await addKeyFrames(recording, terminal as never, new AbortController().signal, EVERY);
  terminal.dispose();
  return recording;
}

/** Draws the rest of a recording from each key frame, and from the start. */
async function endScreens(recording: Recording) {
  const { keyFrames, events } = recording;
  const whole = newTerminal();
  await draw(whole, recording, 0, events.length);
  const fromFrames = [];
  for (const { cols, rows, piece, next } of keyFrames) {
    const terminal = newTerminal();
    terminal.resize(cols, rows);
    await new Promise<void>((done) => terminal.write(piece, done));
    await draw(terminal, recording, next, events.length);
    fromFrames.push(screenOf(terminal));
  }
  return { whole: screenOf(whole), fromFrames };
}

const filling = (frames: number) =>
  Array.from({ length: Math.ceil((frames * EVERY) / FILLER.length) }, () => ['o', FILLER] as const);
/** Output that draws nothing, long enough for a key frame. */
const NOTHING = ['o', '\0'.repeat(EVERY)] as const;

describe('key frames', () => {
  it('adds a key frame after every stretch of output, and none to a short recording', async () => {
    expect((await withKeyFrames(recordingOf([['o', FILLER]]))).keyFrames).toEqual([]);
    const { keyFrames } = await withKeyFrames(recordingOf([NOTHING, NOTHING, NOTHING]));
    expect(keyFrames.map(({ next }) => next)).toEqual([1, 2, 3]);
  });

  it.each([
    ['a scroll region', '\x1b[2J\x1b[5;20r\x1b[20;1Hbelow', '\r\n'.repeat(30)],
    ['the alternate screen', 'shell\r\n\x1b[?1049h\x1b[2J\x1b[3;3Hvim', '\x1b[?1049lback'],
    ['a saved cursor', '\x1b[7;9H\x1b7\x1b[1;1H', '\x1b8here'],
    ['colors', '\x1b[31;1;44mred', ' still red'],
    ['insert mode', '\x1b[1;1Habc\x1b[1;1H\x1b[4h', 'xyz'],
    ['a changed size', '', ''],
  ])('draws the same end after %s', async (name, before, after) => {
    const resize = name === 'a changed size' ? ([['r', '100x30']] as const) : [];
    const recording = await withKeyFrames(
      recordingOf([...filling(0.9), ...resize, ['o', before], NOTHING, ['o', after]]),
    );
    const { whole, fromFrames } = await endScreens(recording);
    expect(fromFrames.length).toBeGreaterThan(0);
    for (const screen of fromFrames) expect(screen).toEqual(whole);
  });

  it('draws the same end after random output', async () => {
    const piece = fc.constantFrom(
      ...['\x1b[2;5r', '\x1b[r', '\x1b7', '\x1b8', '\x1b[3;4H', '\x1b[2J', '\x1b[31m', '\x1b[m'],
      ...['\x1b[?1049h', '\x1b[?1049l', '\x1b[!p', '\x1bc', '\x1bM', '\x1b[3L', '\r\n', '漢字'],
      ...['\x1b(0', '\x1b(B', '\x0e', '\x0f', '\x1b[?6h', '\x1b[?6l', '\x1b[?25l', 'text', '\x1b'],
      ...['[K', '\x1b]0;ti', 'tle\x07', '\x1b[4h', '\x1b[4l'],
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, SOME), fc.array(piece, SOME), async (one, other) => {
        const recording = await withKeyFrames(
          recordingOf([
            ...filling(0.9),
            ...one.map((text) => ['o', text] as const),
            NOTHING,
            ...other.map((text) => ['o', text] as const),
            ['o', 'one\r\ntwo\r\n'.repeat(6)],
          ]),
        );
        const { whole, fromFrames } = await endScreens(recording);
        for (const screen of fromFrames) expect(screen).toEqual(whole);
      }),
      {
        numRuns: 40,
        seed: 20_200_701,
        // A soft reset of the alternate screen keeps the letters that the normal one has saved.
        examples: [
          [
            ['\x1b(0', '\x1b[?1049h', '\x1b[2;5r', '\x1b[!p'],
            ['\x1b[2;5r', '\x1b[?1049l', '\x1b[2;5r'],
          ],
        ],
      },
    );
  });
});
