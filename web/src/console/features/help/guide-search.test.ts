import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readGuide } from '../../../../guides.ts';
import { findSections, sectionsOf } from './guide-search.ts';
import { parseGuide } from './markdown.ts';

const DOCS = join(import.meta.dirname, '../../../../../docs');
const sections = sectionsOf(
  parseGuide(
    '# Guide\n\n## Backups\nBefore an upgrade.\n\n### Restore\n- Stop the server\n- Copy `data`\n\n## Upgrade\nMake backups first.\n',
  ),
  'operator',
);
const titles = (query: string) => findSections(sections, query).map(({ section }) => section.title);

it('divides a guide at its headings, with the headings above each', () => {
  expect(sections.map(({ above, title, text }) => [above, title, text])).toEqual([
    [['Guide'], 'Backups', 'Before an upgrade.'],
    [['Guide', 'Backups'], 'Restore', 'Stop the server Copy data'],
    [['Guide'], 'Upgrade', 'Make backups first.'],
  ]);
});

it('finds every word in any order and case, matching headings first', () => {
  expect(titles('BACKUPS')).toEqual(['Backups', 'Upgrade']);
  expect(titles('upgrade')).toEqual(['Upgrade', 'Backups']);
  expect(titles('data stop')).toEqual(['Restore']);
  expect(titles('back ups')).toEqual(['Backups', 'Upgrade']);
  expect(titles('stop elsewhere')).toEqual([]);
  expect(titles('  ')).toEqual([]);
});

it('shows the text around the first hit', () => {
  const long = `${'many words '.repeat(40)}the needle ${'and more '.repeat(40)}`;
  const [found] = findSections(
    [{ guide: 'user', id: 'a', title: 'A', above: [], text: long }],
    'needle',
  );
  expect(found?.excerpt).toMatch(/^….*needle.*…$/);
  expect(found?.excerpt.length).toBeLessThan(170);
});

it.each([
  ['operator', 'en', 'restore backup'],
  ['operator', 'zh', '备份'],
  ['user', 'en', 'recovery codes'],
  ['user', 'zh', '恢复码'],
] as const)('finds a chapter of the %s guide in %s', (guide, language, query) => {
  const all = sectionsOf(readGuide(DOCS, `${guide}-guide.${language}`), guide);
  expect(findSections(all, query).length).toBeGreaterThan(0);
});
