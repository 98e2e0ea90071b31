import { expect, it } from 'vitest';
import {
  brokenLinks,
  faultsOfIndex,
  faultsOfPages,
  missingDecisions,
  missingFiles,
} from './decisions.mjs';

const page = (number, parts = ['Context', 'Decision', 'Alternatives', 'Consequences']) =>
  `# ${number} Title ${number}\n\n${parts.map((part) => `**${part}.** Text.`).join('\n\n')}\n`;

const PAGES = new Map([
  ['0001-first.md', page('0001')],
  ['0004-fourth.md', page('0004')],
]);

const INDEX = [
  '# Decisions',
  '| [0001](0001-first.md) | Title 0001 |',
  '| [0004](0004-fourth.md) | Title 0004 |',
  '## Retired numbers',
  '| 0002 | [0001](0001-first.md) |',
  '| 0003 | never used |',
].join('\n');

it('accepts a page with all parts in order, and other parts between them', () => {
  expect(faultsOfPages(PAGES)).toEqual([]);
  const more = page('0001', ['Context', 'Decision', 'Rights', 'Alternatives', 'Consequences']);
  expect(faultsOfPages(new Map([['0001-first.md', more]]))).toEqual([]);
});

it.each([
  ['another name for a part', ['Context', 'Choice', 'Alternatives', 'Consequences']],
  ['a missing part', ['Context', 'Decision', 'Consequences']],
  ['another order', ['Context', 'Alternatives', 'Decision', 'Consequences']],
  ['a part twice', ['Context', 'Decision', 'Decision', 'Alternatives', 'Consequences']],
])('refuses %s', (_, parts) => {
  expect(faultsOfPages(new Map([['0001-first.md', page('0001', parts)]]))).toHaveLength(1);
});

it('refuses a title with another number than the file', () => {
  expect(faultsOfPages(new Map([['0002-first.md', page('0001')]]))).toHaveLength(1);
});

it('accepts an index with each page and each retired number', () => {
  expect(faultsOfIndex(PAGES, INDEX)).toEqual([]);
});

it.each([
  ['a page without a row', INDEX.replace(/\| \[0004\].*\n/, ''), ['lacks: | [0004]']],
  [
    'a row with another title',
    INDEX.replace('Title 0004', 'Other'),
    ['lacks: | [0004]', 'has: | [0004]'],
  ],
  [
    'a row without a page',
    INDEX.replace('## Ret', '| [0005](0005-x.md) | X |\n## Ret'),
    ['has: | [0005]'],
  ],
  ['a hole', INDEX.replace(/\| 0002 .*\n/, ''), ['0002 has no page']],
  [
    'a number of a page among the retired',
    `${INDEX}\n| 0004 | never used |`,
    ['0004 is used twice'],
  ],
])('refuses %s', (_, index, faults) => {
  expect(faultsOfIndex(PAGES, index)).toEqual(
    faults.map((fault) => expect.stringContaining(fault)),
  );
});

it('refuses two pages with one number', () => {
  const pages = new Map([...PAGES, ['0004-again.md', page('0004')]]);
  expect(faultsOfIndex(pages, INDEX)).toContainEqual(expect.stringContaining('0004 is used twice'));
});

it('refuses a source file that does not exist', () => {
  const pages = new Map([['0001-first.md', 'in `kit/there.ts`, `open.mjs` and `kit/gone.ts`']]);
  const files = new Set(['web/kit/there.ts', 'open.mjs', 'web/kit/is-gone.ts']);
  expect(missingFiles(pages, files)).toEqual([expect.stringContaining('kit/gone.ts')]);
});

it('refuses a citation of a number without a page', () => {
  const texts = new Map([
    ['a.ts', '// (docs/adr/0001), see ADR 0004 and RFC 2002'],
    ['b.md', '[why](docs/adr/0002-second.md), ADR 0003'],
  ]);
  expect(missingDecisions(PAGES, texts)).toEqual([
    expect.stringContaining('b.md cites adr/0002'),
    expect.stringContaining('b.md cites ADR 0003'),
  ]);
});

it('refuses links to files and headings that do not exist', () => {
  const documents = new Map([
    [
      'docs/a.md',
      [
        '## Who may, and when?',
        '## Twice',
        '## Twice',
        '[1](#who-may-and-when) [2](#twice-1) [3](b.md#谁可以) [4](../src) [5](../src/x.ts#L1)',
        '[6](https://example.org/x.md) [7](/core/console/) [8](mailto:a@example.org)',
        '[9](#twice-2) [10](b.md#other) [`11`](c.md) ![12](../sr)',
        'An example: `[13](d.md)`',
        '```md\n# Not a heading\n[14](e.md)\n```',
        '[15](#not-a-heading)',
      ].join('\n'),
    ],
    ['docs/b.md', '## 谁可以'],
  ]);
  const files = new Set(['docs/a.md', 'docs/b.md', 'src/x.ts']);
  const links = brokenLinks(documents, files).map((fault) => fault.split(' ').at(-1));
  expect(links).toEqual(['(#twice-2)', '(b.md#other)', '(c.md)', '(../sr)', '(#not-a-heading)']);
});
