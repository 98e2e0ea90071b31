import { expect, it } from 'vitest';
import { growthAbove, isOptional } from './size.mjs';

const row = (date, limit, reason = 'a new protocol') => `| ${date} | ${limit} | ${reason} |\n`;
const PAGE = `# Size\n\n| Date | Limit | Reason |\n| --- | --- | --- |\n${row('2026-01-02', '9,000')}`;

it('accepts a core up to the limit of the last row, and refuses a larger one', () => {
  const page = PAGE + row('2026-02-01', '10,000');
  expect(growthAbove(page, 10_000)).toEqual([]);
  expect(growthAbove(page, 10_001)).toEqual([expect.stringContaining('10001')]);
  expect(growthAbove(PAGE + row('2026-02-01', '800'), 801)).toHaveLength(1);
});

it.each([
  ['no row', '# Size\n'],
  ['a row without a reason', `# Size\n${row('2026-01-02', '9,000', ' ')}`],
  ['a limit that is no number', `# Size\n${row('2026-01-02', 'none')}`],
  ['rows that are not in order', PAGE + row('2025-12-31', '10,000')],
])('refuses a page with %s', (_, page) => {
  expect(growthAbove(page, 1)).toHaveLength(1);
});

it('counts the folders of features that can be switched off apart, in each part of the product', () => {
  const paths = ['contract/src', 'server/src', 'web/src/console'].map((part) => [
    `${part}/features/saml/index.ts`,
    `${part}/features/identity/index.ts`,
    `${part}/features/features.ts`,
  ]);
  expect(paths.map((part) => part.map(isOptional))).toEqual(
    Array.from({ length: 3 }, () => [true, false, false]),
  );
});
