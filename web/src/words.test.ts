import type { LocalText } from '@sallyport/contract';
import { say } from '@sallyport/contract';
import { expect, it } from 'vitest';

const FILES = import.meta.glob<Readonly<Record<string, Readonly<Record<string, LocalText>>>>>(
  ['./**/words.ts', './kit/i18n/common.ts'],
  { eager: true },
);
const TEXTS = Object.entries(FILES).flatMap(([file, catalogues]) =>
  Object.values(catalogues).flatMap((words) =>
    Object.entries(words).map(([name, text]) => ({ file, name, text })),
  ),
);
const NAMES = /\{(\w+)[,}]/g;
const placesOf = (text: string) =>
  [...new Set([...text.matchAll(NAMES)].map(([, name]) => name))].sort();

it('fills the placeholders of every text in both languages', () => {
  expect(TEXTS.length).toBeGreaterThan(500);
  for (const { file, name, text } of TEXTS) {
    expect(placesOf(text.zh), `${file} ${name}`).toEqual(expect.arrayContaining(placesOf(text.en)));
    const params = Object.fromEntries(placesOf(text.zh).map((place) => [place, 2]));
    for (const language of ['en', 'zh'] as const)
      expect(say(text, language, params), `${file} ${name}`).not.toMatch(/[{}]/);
  }
});

it('has a singular form for every English text that counts', () => {
  const counts = /\{(count|total|days|minutes|users|limit)(, number)?\} (\w+ )?\w+s\b/;
  expect(
    TEXTS.filter(({ text }) => counts.test(text.en)).map(({ file, name }) => `${file} ${name}`),
  ).toEqual([]);
});
