import { afterEach, beforeEach, expect, it } from 'vitest';
import { CommandTracker } from './tracker.ts';

const DEL = '\x7f';

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
  await show('\x1b[?2004h\x1b[32mready> \x1b[m');
});
afterEach(() => tracker.end());

async function show(text: string): Promise<void> {
  now++;
  tracker.output(Buffer.from(text));
  await tracker.settled(() => true);
}

async function readAfter(keys: string, shown: string) {
  tracker.input(Buffer.from(keys));
  await show(shown);
  const reading = tracker.prompt.pendingLine();
  now += 5000;
  return reading;
}

it.each([
  ['fish with 256 colors', '\x1b[34mhalt', '\x1b[38;5;240m --help', '\x1b[30m\x1b(B\x1b[m'],
  ['a plug-in of zsh', 'halt', '\x1b[90m --help', '\x1b[39m'],
  ['a theme of 16 million colors', '\x1b[1;34mhalt', '\x1b[0;38;2;90;90;90m --help', '\x1b[0m'],
  ['a dim suggestion', 'halt', '\x1b[2m --help', '\x1b[22m'],
])('decides an edited line without the suggestion of %s, too', async (_name, typed, rest, end) => {
  const back = '\b'.repeat(' --help'.length);
  const line = await readAfter(`haltx${DEL}`, `${typed}${rest}${end}${back}`);
  expect(line).toMatchObject({ text: 'halt --help', seen: ['halt'] });
});

it.each([
  ['without colors', 'halt --help\b\b\b\b'],
  ['in one color', '\x1b[34mhalt --help\x1b[m\b\b\b\b'],
  ['whose cursor is at its end', '\x1b[34mhalt\x1b[36m --help\x1b[m'],
])('decides a line %s as it is', async (_name, shown) => {
  expect(await readAfter(`haltx${DEL} --help`, shown)).toMatchObject({
    text: 'halt --help',
    seen: [],
  });
});

it.each([
  ['at its beginning', 4 + 7],
  ['before its last letter', 1 + 7],
  ['at its end', 7],
])('decides a line without the suggestion when the cursor is %s', async (_name, back) => {
  const screen = `\x1b[34mhalt\x1b[38;5;240m --help\x1b[m${'\b'.repeat(back)}`;
  expect(await readAfter(`haltx${DEL}\x01`, screen)).toMatchObject({
    text: 'halt --help',
    seen: ['halt'],
  });
});

it('decides a line of two rows without a suggestion that begins in the second one', async () => {
  const own = `echo ${'a'.repeat(80)}`;
  const screen = `\x1b[34m${own}\x1b[38;5;240mbcd\x1b[m\r`;
  const line = await readAfter(`echox${DEL}\x01`, screen);
  expect(line).toMatchObject({ text: `${own}bcd`, seen: [own] });
});
