import { expect, it } from 'vitest';
import { SCREEN_LIMITS, screenTextOf } from './screen-text.ts';

type Event = readonly [second: number, code: string, data: string];

/** Returns a recording in uneven parts, as a stream delivers it. */
async function* recording(events: readonly Event[], size = { width: 80, height: 24 }) {
  const text = [JSON.stringify({ version: 2, ...size }), ...events.map((e) => JSON.stringify(e))]
    .join('\n')
    .concat('\n');
  for (let from = 0; from < text.length; from += 997) yield text.slice(from, from + 997);
}
const textsOf = async (events: readonly Event[], size?: { width: number; height: number }) =>
  (await screenTextOf(recording(events, size))).lines;

it('returns each line once, with the time at which it was first visible', async () => {
  const lines = await textsOf([
    [0.1, 'o', 'user@web:~$ '],
    [2, 'o', 'cat /etc/motd\r\n'],
    [2.1, 'o', 'Welcome to web-prod-01\r\nuser@web:~$ '],
    [5, 'o', 'cat /etc/motd\r\nWelcome to web-prod-01\r\n'],
  ]);
  expect(lines).toEqual([
    { at: 0, text: 'user@web:~$ cat /etc/motd' },
    { at: 2_000, text: 'Welcome to web-prod-01' },
  ]);
});

it('reads full-screen programs, wrapped lines, Chinese text and window titles', async () => {
  const long = `${'x'.repeat(70)} needle at the border ${'y'.repeat(20)}`;
  const texts = (
    await textsOf([
      [0, 'o', '\u001b]0;deploy@web: /srv\u0007'],
      [0.1, 'o', '\u001b[?1049h\u001b[2J\u001b[3;10HTasks: 12 total'],
      [2, 'o', '\u001b[3;10HTasks: 13 total'],
      [4, 'o', '\u001b[?1049l'],
      [5, 'o', `${long}\r\n权限不足：用户登录失败\r\n`],
    ])
  ).map(({ text }) => text);
  expect(texts).toEqual([
    'deploy@web: /srv',
    'Tasks: 12 total',
    'Tasks: 13 total',
    long,
    '权限不足：用户登录失败',
  ]);
});

it('finds every line that is visible for a second, whatever comes before and after', async () => {
  // A fixed sequence of pseudo-random numbers.
  let state = 7;
  const random = (below: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  let [missing, visible] = [0, 0];
  for (let session = 0; session < 40; session++) {
    const events: Event[] = [];
    const stable: string[] = [];
    let second = 0;
    for (let step = 0; step < 60; step++) {
      const row = 1 + random(20);
      const text = `s${session} step ${step} ${['ok', '错误代码', 'denied'][random(3)]} ${random(1e6)}`;
      const stays = random(2) === 0;
      events.push([second, 'o', `\u001b[2J\u001b[${row};${1 + random(20)}H${text}`]);
      // Between the pictures, other rows change all the time.
      const until = second + (stays ? 1 + random(300) / 100 : random(90) / 100);
      for (let at = second + 0.05; at < until; at += 0.1 + random(40) / 100)
        events.push([at, 'o', `\u001b[24;1Hclock ${random(1e6)}\u001b[K`]);
      if (stays) stable.push(text);
      second = until;
    }
    events.push([second, 'o', '\u001b[2J']);
    const all = (await textsOf(events)).map(({ text }) => text).join('\n');
    visible += stable.length;
    missing += stable.filter((line) => !all.includes(line)).length;
  }
  expect([visible > 1_000, missing]).toEqual([true, 0]);
});

it('stops at the limit of text, and says so', async () => {
  const events = Array.from(
    { length: SCREEN_LIMITS.lines + 500 },
    (_, index): Event => [index / 50, 'o', `line ${index}\r\n`],
  );
  const { lines, isWhole } = await screenTextOf(recording(events));
  expect([lines.length, isWhole]).toEqual([SCREEN_LIMITS.lines, false]);
}, 60_000);

it('ignores a torn end, events of other kinds and wrong sizes', async () => {
  const lines = await textsOf([
    [0, 'r', '0x99999'],
    [0, 'm', 'typing: Li Wei'],
    [0.5, 'r', '100x30'],
    [1, 'o', 'after the resize'],
  ]);
  expect(lines.map(({ text }) => text)).toEqual(['after the resize']);
  async function* torn() {
    yield '{"version":2,"width":80,"height":24}\n[0,"o","whole"]\n[1,"o","to';
  }
  expect((await screenTextOf(torn())).lines.map(({ text }) => text)).toEqual(['whole']);
});
