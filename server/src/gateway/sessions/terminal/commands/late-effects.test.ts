import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CommandTracker } from './tracker.ts';

const PROMPT = '\x1b[?2004hready> ';
const HOME = '\x01';
/** Longer than any pause after which an earlier version read the line. */
const REAL_MS = 150;

/** Milliseconds since the session began. Only the tests move this clock. */
let now: number;
let tracker: CommandTracker;
beforeEach(async () => {
  now = 0;
  tracker = new CommandTracker({
    cols: 80,
    rows: 24,
    owner: 'owner',
    charset: 'utf8',
    elapsed: () => now,
    onCommand: () => undefined,
    onDrain: () => undefined,
  });
  await show(PROMPT);
});
afterEach(() => tracker.end());

/** Waits until the tracker has read output and keys. */
const read = () => tracker.settled(() => true);

async function show(text: string): Promise<void> {
  now++;
  tracker.output(Buffer.from(text));
  await read();
}

async function press(keys: string): Promise<void> {
  tracker.input(Buffer.from(keys));
  await read();
}

it.each([
  ['a letter inserted at the beginning', `enyme d${HOME}d`, 'enyme d', '\b'.repeat(7), 'denyme d'],
  ['a deleted word', 'denyme xx yy\x17', 'denyme xx y', 'y\b\b\x1b[K', 'denyme xx'],
  ['a deletion by Alt-Backspace', 'denyme xx\x1b\x7f', 'denyme x', 'x\b\b\x1b[K', 'denyme'],
  ['a line from the history', 'xx\x15\x1b[A', 'xx', '\b\b\x1b[Kdenyme', 'denyme'],
])('waits for %s that comes 400 ms after the text before it', async (_what, keys, ...more) => {
  const [first, effect, line] = more;
  await press(keys);
  await show(first);
  let isRead = false;
  const reading = tracker.prompt.pendingLine().finally(() => {
    isRead = true;
  });
  // The clock moves first, so an early reading would use the screen without the effect.
  now += 400;
  await sleep(REAL_MS);
  expect(isRead).toBe(false);
  await show(keys.includes(HOME) ? `${effect}${line}` : effect);
  now += 5000;
  expect((await reading)?.text).toBe(line);
});

it.each([
  ['a deleted character without width', 'say \u200b\x17a', 'say \u200ba'],
  ['a recalled line with a deleted character', '\x1b[A\x17', 'say \u200b'],
])(
  'reads no line that the screen shows without a trace of the deletion: %s',
  async (_what, keys, shown) => {
    await press(keys);
    await show(shown);
    const reading = tracker.prompt.pendingLine();
    now += 5000;
    expect(await reading).toMatchObject({ isUncertain: true });
  },
);

it('reads a recalled line with a character without width when no other key edits it', async () => {
  await press('\x1b[A');
  await show('say \u200b!');
  const reading = tracker.prompt.pendingLine();
  now += 5000;
  expect(await reading).toMatchObject({ text: 'say \u200b!', isUncertain: false });
});

it.each([
  ["(reverse-i-search)`enym': denyme > copy", 'denyme > copy'],
  ["(failed reverse-i-search)`enymx': denyme # a", 'denyme # a'],
  ["(i-search)`y': denyme $ b", 'denyme $ b'],
  // busybox 1.35
  ["(reverse-i-search)'enym': denyme % c", 'denyme % c'],
])('reads the line that a search shows: %s', async (shown, line) => {
  await press('\x12enym');
  await show(`\r\x1b[K${shown}`);
  const reading = tracker.prompt.pendingLine();
  now += 5000;
  expect(await reading).toMatchObject({ text: line, isUnread: false });
});

it('reads no line from a search whose text looks like the end of its prompt', async () => {
  await press("\x12': x");
  await show("\r\x1b[K(reverse-i-search)`': x': denyme ': x");
  const reading = tracker.prompt.pendingLine();
  now += 5000;
  expect(await reading).toMatchObject({ isUnread: true });
});

it.each(['other# denyme > copy', 'other> denyme $ copy', 'denyme % copy'])(
  'returns the whole row as well where it guesses the end of a prompt: %s',
  async (shown) => {
    await press('\x1b[A');
    await show(`\r\x1b[K${shown}`);
    const reading = tracker.prompt.pendingLine();
    now += 5000;
    expect(await reading).toMatchObject({ seen: [shown] });
  },
);

it('reads a line below a full row of an earlier one that a cleared screen has left', async () => {
  const earlier = `say ${'y'.repeat(69)}`;
  await show(`${earlier}\r\n${'\n'.repeat(23)}${PROMPT}`);
  await press('x\x0c');
  await show('x\x1b[H\x1b[2Jready> x');
  await press('\x7fdenyme');
  await show('\b\x1b[Kdenyme');
  const reading = tracker.prompt.pendingLine();
  now += 5000;
  expect(await reading).toMatchObject({
    text: 'denyme',
    isUnread: false,
    seen: [`${earlier}ready> denyme`],
  });
});

it('reads the line that a search shows when its first key came before the prompt', async () => {
  await show('\r\n');
  await press('\x12enym');
  await show("(reverse-i-search)`enym': denyme > copy");
  const reading = tracker.prompt.pendingLine();
  now += 5000;
  expect(await reading).toMatchObject({ text: 'denyme > copy', isUnread: false });
});
