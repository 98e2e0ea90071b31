import { expect, it } from 'vitest';
import { findProblems, readPage, totalsOf, writePage } from './conformance.mjs';

const BROWSER = 'e2e/journeys/a.test.ts › opens it';
const PART = 'web/src/a.test.ts › computes it';
const row = (number, state, { quote = 'text', ...more } = {}) => ({
  number,
  quote,
  statement: 'Here',
  state,
  tests: [],
  ...more,
});
const ROWS = [
  row('1.1', 'whole', { tests: [BROWSER, PART], note: 'seen by a person' }),
  row('1.2a', 'partial', { tests: [PART] }),
  row('1.3', 'differs', { reason: 'safer', tests: [PART] }),
  row('1.4', 'not yet'),
];
const TOTALS = 'Of 4 statements 1 are whole, 1 partial, 1 differ and 1 are not there.';

it('accepts rows with a quotation, a state and the proof of that state', () => {
  expect(findProblems(ROWS)).toEqual([]);
  expect(totalsOf(ROWS)).toBe(TOTALS);
});

it.each([
  [row('1.1', 'whole', { tests: [PART] }), 'without a test of the running program'],
  [row('1.1', 'whole', { quote: '', tests: [BROWSER] }), 'quotes nothing'],
  [row('1.1', 'partial', { note: 'it works' }), 'partial without a test'],
  [row('1.1', 'differs', { tests: [BROWSER] }), 'without a reason'],
  [row('1.1', 'done', { tests: [BROWSER] }), 'none of'],
])('refuses %j', (one, problem) => {
  expect(findProblems([one])).toEqual([expect.stringContaining(problem)]);
});

it('refuses a number that two rows have', () => {
  expect(findProblems([ROWS[0], ROWS[0]])).toEqual([expect.stringContaining('twice')]);
});

it('writes a page with new totals, which reads as the same rows', () => {
  const sections = [
    { title: '1. First', rows: ROWS },
    { title: '2. Second', rows: [row('2.1', 'whole', { quote: 'User | USE', tests: [BROWSER] })] },
  ];
  const page = writePage(`# Conformance\n\n${TOTALS}\n\n## Old\n\nremoved\n`, sections);
  expect(page).toContain('Of 5 statements 2 are whole');
  expect(page).not.toContain('removed');
  expect(readPage(page)).toEqual(sections);
});
