import { runs } from '@sallyport/property-runs';
import { describe, expect, it } from 'vitest';
import { makeCorpus, type Sample } from './testing/corpus.ts';
import { Maker, randomFrom } from './testing/maker.ts';
import { COLS, isShown, mask, ORDINARY } from './testing/recall.ts';

const SIZE = 148;
const { seed: SEED } = runs();

/** A sample of which the screen shows one line, and where its secret is in this line. */
interface Line {
  readonly text: string;
  readonly from: number;
  readonly secret: string;
}

/** Changes a line at a place inside of its secret. */
type Shape = (line: Line, at: number) => string;

const ST = '\x1b\\';
const insert =
  (sequence: string): Shape =>
  ({ text }, at) =>
    `${text.slice(0, at)}${sequence}${text.slice(at)}`;
const around =
  (before: string, after: string): Shape =>
  ({ text, from, secret }) =>
    text.slice(0, from) + before + secret + after + text.slice(from + secret.length);
const each =
  (change: (character: string) => string): Shape =>
  ({ text }) =>
    [...text].map((one) => (/[!-~]/.test(one) ? change(one) : one)).join('');
/** The value in a string that a control or another sequence cuts. */
const cutString =
  (begin: string, control: string, end: string): Shape =>
  ({ text }, at) =>
    `a${begin}${text.slice(0, at)}${control}${text.slice(at)}${end}b`;
const link = '\x1b]8;;https://example.org/a';

const SHAPES: Readonly<Record<string, Shape>> = {
  'a link around the value': around(`${link}\x07`, '\x1b]8;;\x07'),
  'a link inside': insert(`${link}${ST}`),
  'the end of a link inside': insert(`\x1b]8;;${ST}`),
  'a title inside': insert('\x1b]0;root@web1: ~\x07'),
  'a title with C1 controls inside': insert('\u009d2;title\u009c'),
  'a device string inside': insert(`\x1bP1$r0m${ST}`),
  'an application string inside': insert(`\x1b_Gi=1;AAAA${ST}`),
  'a privacy message inside': insert(`\x1b^note${ST}`),
  'a start of string inside': insert(`\x1bXnote${ST}`),
  'a cancelled string inside': insert('\x1b]0;title\x18'),
  'a title of screen inside': insert(`\x1bktitle${ST}`),
  'a cancelled title of screen inside': insert('\x1bktitle\x1a'),
  'a color with a C1 control inside': insert('\u009b31m'),
  'a move to the right inside': insert('\x1b[C'),
  'a far move to the right inside': insert('\x1b[7C'),
  'its own column inside': ({ text }, at) =>
    `${text.slice(0, at)}\x1b[${(at % COLS) + 1}G${text.slice(at)}`,
  'a later column inside': ({ text }, at) =>
    `${text.slice(0, at)}\x1b[${Math.min(COLS, (at % COLS) + 4)}G${text.slice(at)}`,
  'its own place inside': ({ text }, at) =>
    `${text.slice(0, at)}\x1b[12;${(at % COLS) + 1}H${text.slice(at)}`,
  'its own row inside': insert('\x1b[12d'),
  'equal characters by a repetition': ({ text }) => text.replace(/([!-~])\1/g, '$1\x1b[b'),
  'a saved cursor inside': insert('\x1b[s\x1b[5D\x1b[u'),
  'the erased rest of the line inside': insert('\x1b[K'),
  'modes and character sets inside': insert('\x1b[?25l\x1b(B\x1b[?25h\x0f'),
  'nulls and bells inside': insert('\0\x07\x7f'),
  'one character printed twice': ({ text }, at) => `${text.slice(0, at)}\b${text.slice(at - 1)}`,
  'every character printed twice': each((one) => `${one}\b${one}`),
  'every character underlined': each((one) => `_\b${one}`),
  'every character underlined afterwards': each((one) => `${one}\b_`),
  'a repetition of the line': ({ text }) => `${text}\r${text}`,
  'another line before it in the row': ({ text }) => `${'x'.repeat(40)}\r\x1b[K${text}`,
  'an address of a link': ({ text }) => `see \x1b]8;;${text}${ST}here\x1b]8;;${ST} and there`,
  'a title': ({ text }) => `a\x1b]2;${text}\x07b`,
  'a title cut by a bell of C1': ({ text }) => `a\u009d0;${text}\u009cb`,
  'a device string': ({ text }) => `a\x1bP${text}${ST}b`,
  'a title of screen': ({ text }) => `a\x1bk${text}${ST}b`,
  'a title cut by CAN': cutString('\x1b]2;', '\x18', '\x07'),
  'a title cut by SUB': cutString('\x1b]2;', '\x1a', ST),
  'a title cut by a color': cutString('\x1b]2;', '\x1b[31m', '\x07'),
  'a title cut by another title': cutString('\x1b]2;', '\x1b]0;', '\x07'),
  'a title cut by one of screen': cutString('\x1b]2;', '\x1bk', ST),
  'a title cut twice': cutString('\x1b]2;', '\x18\x1b]0;\x1a', '\x07'),
  'a device string cut by CAN': cutString('\x1bP', '\x18', ST),
  'a device string with a bell': cutString('\x1bP', '\x07', ST),
  'an application string with a bell': cutString('\x1b_', '\x07', ST),
  'an application string': ({ text }) => `a\x1b_${text}${ST}b`,
};

/** Characters without a width, which a border of chunks may cut. */
const UNSEEN_SHAPES: Readonly<Record<string, Shape>> = {
  'a joiner inside': insert('\u200d'),
  'a mark of direction inside': insert('\u200e'),
  'an accent inside': insert('\u0301'),
  'a variation inside': insert('\ufe0f'),
  'an accent after every character': each((one) => `${one}\u0336`),
  'a title with a joiner': cutString('\x1b]2;', '\u200b', '\x07'),
};

/** Shapes that a later part of the output completes. */
const REWRITTEN: Readonly<Record<string, Shape>> = {
  'a corrected character': ({ text }, at) => `${text.slice(0, at)}#\b \b${text.slice(at)}`,
  'a character inserted later': ({ text }, at) =>
    `${text.slice(0, at)}${text.slice(at + 1)}\x1b[${text.length - at - 1}D\x1b[@${text[at]}\x1b[${text.length - at - 1}C`,
  'a character deleted later': ({ text }, at) =>
    `${text.slice(0, at)}#${text.slice(at)}\x1b[${text.length - at + 1}D\x1b[P\x1b[${text.length - at}C`,
  'its rest written again': ({ text }, at) => `${text.slice(0, at)}##\x1b[2D${text.slice(at)}`,
  'its last part written first': ({ text }, at) =>
    `${' '.repeat(at)}${text.slice(at)}\r${text.slice(0, at)}\x1b[${text.length - at}C`,
};

const UNSEEN = /[\u0300-\u036f]|[\u200b-\u200f]|\ufe0f/g;

/** Returns printed and hidden text without sequences and overstrikes. */
const screenOf = (output: string): readonly string[] => {
  const printed = output
    // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences
    .replace(/(?:\x1b[\]P_^X]|\u009d)[^\x07\x18\x1b\u009c]*(?:\x07|\x18|\x1b\\|\u009c)/g, '')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences
    .replace(/(?:\x1b\[|\u009b)[?\d;]*[@-~]|\x1b[78]|\x1b\(B|[\0\x07\x0f\x7f]/g, '')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: backspaces
    .replace(/_\x08(.)|(.)\x08(?:_|\2)|#\x08 \x08/g, '$1$2');
  const visible = output.replace(UNSEEN, '');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences
  const untitled = visible.replace(/\x1bk[^\x1a\x1b]*(?:\x1a|\x1b\\)/g, '');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences
  const letters = visible.replace(/\x1b\]\d*;|\x1b\[\d*m|\x1b[P_k\\]|[\x00-\x1f]/g, '');
  return [output, printed.replace(UNSEEN, '').replace(/[\r\n]/g, ''), untitled, letters];
};

/** Short lines with one secret: others wrap, or have secrets in several lines. */
function linesOf(corpus: readonly Sample[]): readonly Line[] {
  return corpus.flatMap(({ text, secrets: [secret = ''] }) => {
    const from = text.indexOf(secret);
    return text.length < COLS && !/[\r\n]/.test(text) && from >= 0 ? [{ text, from, secret }] : [];
  });
}

describe(`secrets with sequences (seed ${SEED})`, () => {
  const m = new Maker(randomFrom(SEED));
  const lines = linesOf(makeCorpus(m, SIZE));

  const missed = (shape: Shape, cuts: readonly ((left: number) => number)[]) =>
    lines.flatMap((line) => {
      const at = line.from + 1 + m.below(line.secret.length - 1);
      const output = Buffer.from(`${m.pick(ORDINARY)}\r\n${shape(line, at)}\r\n[root@web1 ~]# `);
      return cuts
        .map((cutAt) => mask(output, cutAt))
        .filter((stored) => screenOf(stored).some((text) => isShown(line.secret, text)))
        .map((stored) => JSON.stringify(stored));
    });
  const whole = (left: number) => left;
  const cut = (left: number) => Math.min(left, 1 + m.below(20));

  it('has formats of one line', () => {
    expect(lines.length).toBeGreaterThan(60);
  });

  it.each(Object.entries(SHAPES))(
    'masks values with %s, whole and cut anywhere',
    (_name, shape) => {
      const list = missed(shape, [whole, cut, () => 1]);
      expect(list.length, list.join('\n')).toBe(0);
    },
  );

  it.each([
    ['a repetition', 'a\x1b[30b'],
    ['a repetition longer than a line', 'a\x1b[2147483647b'],
    ['a repetition over the text before', 'aaaaaaaaaa\x1b[8Da\x1b[12b'],
    ['a repetition after a gap', 'a\x1b[3Ca\x1b[5b'],
  ])('masks the value before and after %s', (_name, repetition) => {
    for (const cutAt of [whole, cut, () => 1]) {
      const stored = mask(Buffer.from(`password: Qw7x${repetition}Zp4k8\r\ndone\r\n`), cutAt);
      expect(stored).not.toMatch(/Qw7|Zp4|4k8/);
      expect(stored).toContain('done');
    }
  });

  it.each(Object.entries({ ...UNSEEN_SHAPES, ...REWRITTEN }))(
    'masks values with %s that arrive whole',
    (_name, shape) => {
      const list = missed(shape, [whole]);
      expect(list.length, list.join('\n')).toBe(0);
    },
  );
});
