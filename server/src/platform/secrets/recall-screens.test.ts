import { runs } from '@sallyport/property-runs';
import xterm from '@xterm/headless';
import { describe, expect, it } from 'vitest';
import { makeCorpus } from './testing/corpus.ts';
import { Maker, randomFrom } from './testing/maker.ts';
import { COLS, isShown, mask, ORDINARY } from './testing/recall.ts';

const SIZE = 148;
const { seed: SEED } = runs();
/** Row of the secret on an empty screen. */
const ROW = 10;

/** Writes a line in two parts so that a terminal shows it whole. */
type Shape = (first: string, rest: string) => string;

const between =
  (sequence: string): Shape =>
  (first, rest) =>
    first + sequence + rest;
const to = (column: number, row = ROW) => `\x1b[${row};${column + 1}H`;

const SHAPES: Readonly<Record<string, Shape>> = {
  'a status line before its rest': between('\x1b7\x1b[24;1H\x1b[Kstatus\x1b8'),
  'a status line with the cursor saved by a sequence': between(
    '\x1b[s\x1b[24;1H\x1b[K3 jobs\x1b[u',
  ),
  'a status line with the cursor saved by a mode': between('\x1b[?1048h\x1b[24;1Hx\x1b[?1048l'),
  'a status line after each character': (first, rest) =>
    [...(first + rest)].map((one) => `${one}\x1b7\x1b[24;1H\x1b[K.\x1b8`).join(''),
  'text in another row before its rest': (first, rest) =>
    `${first}${to(0, ROW + 1)}other${to(first.length)}${rest}`,
  'three rows in turn': (first, rest) =>
    `${first}${to(0, ROW + 1)}one${to(0, ROW + 2)}two${to(first.length)}${rest}${to(3, ROW + 2)}!`,
  'the next row and back': (first, rest) => `${first}\x1b[E-\x1b[F\x1b[${first.length}C${rest}`,
  'a line end, up and a column': (first, rest) =>
    `${first}\r\n\x1b[A\x1b[${first.length + 1}G${rest}`,
  'a line feed and up': between('\n\x1b[A'),
  'a vertical tab and up': between('\x0b\x1b[A'),
  'an index and a reverse index': between('\x1bD\x1bM'),
  'characters of its middle inserted later': (first, rest) =>
    `${first.slice(0, -2)}${rest}\x1b[${rest.length}D\x1b[4h${first.slice(-2)}\x1b[4l\x1b[${rest.length}C`,
};

/** The text that a terminal shows. */
async function screenOf(output: string): Promise<string> {
  const terminal = new xterm.Terminal({ cols: COLS, rows: 24, allowProposedApi: true });
  await new Promise<void>((done) => terminal.write(output, done));
  const { active } = terminal.buffer;
  const rows = Array.from({ length: active.length }, (_, row) =>
    active.getLine(row)?.translateToString(true),
  );
  terminal.dispose();
  return rows.join('\n');
}

describe(`secrets that a screen puts together (seed ${SEED})`, () => {
  const m = new Maker(randomFrom(SEED));
  const lines = makeCorpus(m, SIZE).flatMap(({ text, secrets: [secret = ''] }) => {
    const from = text.indexOf(secret);
    return text.length < COLS && /^[ -~]*$/.test(text) && from >= 0 ? [{ text, from, secret }] : [];
  });

  it('has formats of one line', () => {
    expect(lines.length).toBeGreaterThan(60);
  });

  it.each(Object.entries(SHAPES))('masks values with %s, in their place', async (_name, shape) => {
    const missed: string[] = [];
    for (const { text, from, secret } of lines) {
      const at = from + 2 + m.below(secret.length - 2);
      const part = shape(text.slice(0, at), text.slice(at));
      const output = `${m.pick(ORDINARY)}\r\n\x1b[2J${to(0)}${part}\r\n[root@web1 ~]# `;
      const [raw, stored] = await Promise.all([
        screenOf(output),
        screenOf(mask(Buffer.from(output), (left) => left)),
      ]);
      expect(raw).toContain(text);
      const isSameLayout = stored.replace(/\S/g, '#') === raw.replace(/\S/g, '#');
      if (isShown(secret, stored) || !isSameLayout) missed.push(JSON.stringify([text, stored]));
    }
    expect(missed.length, missed.join('\n')).toBe(0);
  });

  it.each([
    ['a status line', () => '\x1b7\x1b[24;1H\x1b[Kstatus\x1b8'],
    ['a status line, saved by a sequence', () => '\x1b[s\x1b[24;1H\x1b[K3 jobs\x1b[u'],
    ['another row', (column: number) => `${to(0, ROW + 1)}other${to(column)}`],
    ['the row above', (column: number) => `\x1b[Aabove\x1b[B\x1b[${column + 1}G`],
  ])('masks values if the output pauses while the cursor is in %s', async (_name, away) => {
    const missed: string[] = [];
    for (const { text, from, secret } of lines) {
      const at = from + 2 + m.below(secret.length - 2);
      const begin = `ready\r\n\x1b[2J${to(0)}${text.slice(0, at)}`;
      const sequence = away(at);
      const output = `${begin}${sequence}${text.slice(at)}\r\n[root@web1 ~]# `;
      const cut = begin.length + 1 + m.below(sequence.length);
      const stored = mask(Buffer.from(output), (left) => (left === output.length ? cut : left));
      if (isShown(secret, await screenOf(stored))) missed.push(JSON.stringify([text, stored]));
    }
    expect(missed.length, missed.join('\n')).toBe(0);
  });
});
