import type { SearchHit } from '@sallyport/contract';
import { expect, it } from 'vitest';
import type { PaletteOption } from '../../../kit/palette/option.ts';
import type { Fit } from './fits.ts';
import { rankedOptions } from './PaletteResults.tsx';

const option = (group: string, label: string): PaletteOption => ({
  key: label,
  group,
  label,
  icon: null,
  run: () => undefined,
});
const hit = (kind: string, title: string, fit: number): SearchHit => ({
  kind,
  id: title,
  title,
  note: '',
  page: null,
  connects: null,
  fit,
});
const page = (label: string, fit: Fit) => ({ fit, option: option('Pages', label) });
const labels = (hits: readonly SearchHit[], pages: readonly ReturnType<typeof page>[]) =>
  rankedOptions(hits, pages, ({ kind, title }) => option(kind, title)).map(({ label }) => label);

it('offers equal names first, and objects before pages of equal quality', () => {
  expect(
    labels(
      [
        hit('user', 'domenica', 1),
        hit('asset', 'domains', 0),
        hit('asset', 'a-domain', 3),
        hit('command', 'cat domains', 4),
      ],
      [page('Domains', 0), page('Domains of all', 1), page('Subdomains', 3)],
    ),
  ).toEqual([
    'domains',
    'Domains',
    'domenica',
    'Domains of all',
    'a-domain',
    'cat domains',
    'Subdomains',
  ]);
});

it('keeps objects of one kind together below one heading', () => {
  expect(
    labels([hit('asset', 'web-1', 1), hit('user', 'webmaster', 1), hit('asset', 'web-2', 2)], []),
  ).toEqual(['web-1', 'web-2', 'webmaster']);
});
