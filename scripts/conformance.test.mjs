import { expect, it } from 'vitest';
import { findProblems, readRows, totalsOf } from './conformance.mjs';

const row = (number, quote, state, proof) =>
  `| ${number} | ${quote} | Here | ${state} | ${proof} |`;
const BROWSER = '`e2e/journeys/a.test.ts › opens it`';
const PART = '`web/src/a.test.ts › computes it`';

it('accepts rows with a quotation, a state and the proof of that state', () => {
  const rows = readRows(
    [
      row('1.1', 'text', 'whole', BROWSER),
      row('1.2a', 'text', 'partial', PART),
      row('1.3', 'text', 'differs', `safer. ${PART}`),
      row('1.4', 'text', 'not yet', ''),
    ].join('\n'),
  );
  expect(rows.map(({ number }) => number)).toEqual(['1.1', '1.2a', '1.3', '1.4']);
  expect(findProblems(rows)).toEqual([]);
  expect(totalsOf(rows)).toBe(
    'Of 4 statements 1 are whole, 1 partial, 1 differ and 1 are not there.',
  );
});

it.each([
  [row('1.1', 'text', 'whole', PART), 'without a test of the running program'],
  [row('1.1', '', 'whole', BROWSER), 'quotes nothing'],
  [row('1.1', 'text', 'partial', 'it works'), 'partial without a test'],
  [row('1.1', 'text', 'differs', BROWSER), 'without a reason'],
  [row('1.1', 'text', 'done', BROWSER), 'none of'],
  [`${row('1.1', 'text', 'whole', BROWSER)}\n${row('1.1', 'text', 'whole', BROWSER)}`, 'twice'],
])('refuses %s', (text, problem) => {
  expect(findProblems(readRows(text))).toEqual([expect.stringContaining(problem)]);
});
