import { runs } from '@sallyport/property-runs';
import { describe, expect, it } from 'vitest';
import { FORMATS, makeCorpus, type Sample } from './testing/corpus.ts';
import { Maker, randomFrom } from './testing/maker.ts';
import { COLS, isShown, mask, ORDINARY } from './testing/recall.ts';

const SIZE = 500;
const { seed: SEED } = runs();

/** Breaks lines at the width of the terminal, as multiplexers do. */
const wrapped = (text: string): string =>
  text
    .split('\r\n')
    .map((line) => line.match(new RegExp(`.{1,${COLS}}`, 'g'))?.join('\r\n') ?? '')
    .join('\r\n');

function colored(text: string, m: Maker): string {
  const words = text.split(/(?<=[ =:"])/);
  return words
    .map((word) => (m.below(3) === 0 ? `\x1b[1;3${m.below(8)}m${word}\x1b[0m` : word))
    .join('');
}

/** Colors a secret in its middle, as a search tool does. */
function highlighted(text: string, { secrets }: Sample, m: Maker): string {
  const [secret = ''] = secrets;
  const at = text.indexOf(secret) + m.below(secret.length);
  return `${text.slice(0, at)}\x1b[31m\x1b[K${text.slice(at, at + 1)}\x1b[m\x1b[K${text.slice(at + 1)}`;
}

/** Returns the text on the screen, without line ends. */
const screenOf = (output: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences
  output.replace(/\x1b\[[\d;]*[A-Za-z]/g, '').replace(/[\r\n]/g, '');

describe(`500 secrets in ${Object.keys(FORMATS).length} formats (seed ${SEED})`, () => {
  const m = new Maker(randomFrom(SEED));
  const corpus = makeCorpus(m, SIZE);

  const missed = (form: (sample: Sample) => string, cutAt: (left: number) => number) =>
    corpus
      .filter((sample) => {
        const output = `${m.pick(ORDINARY)}\r\n${form(sample)}\r\n${m.pick(ORDINARY)}\r\n[root@web1 ~]# `;
        const screen = screenOf(mask(Buffer.from(output), cutAt));
        return sample.secrets.some((secret) => isShown(secret, screen));
      })
      .map(({ format, text }) => `${format}: ${text}`);

  const FORMS: Readonly<Record<string, (sample: Sample) => string>> = {
    plain: ({ text }) => text,
    colored: ({ text }) => colored(text, m),
    wrapped: ({ text }) => wrapped(text),
    highlighted: (sample) => highlighted(sample.text, sample, m),
  };
  it.each(Object.entries(FORMS))(
    'masks 99 % of %s secrets, whole and cut anywhere',
    (_name, form) => {
      for (const list of [
        missed(form, (left) => left),
        missed(form, (left) => Math.min(left, 1 + m.below(40))),
        missed(form, () => 1),
      ])
        expect(list.length, list.join('\n')).toBeLessThanOrEqual(SIZE / 100);
    },
  );
});
