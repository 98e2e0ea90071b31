// Holds docs/conformance.md against its own rules, and writes its totals. A release runs it: `npm
// run conformance`.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findMissingTestsOf } from './documents.mjs';
import { ROOT } from './lib.mjs';

const FILE = 'docs/conformance.md';
const STATES = ['whole', 'partial', 'differs', 'not yet'];
/** Tests of the running program: in a browser, or by HTTP. */
const FRONT_DOOR = /`(?:e2e|server)\/[\w./-]+\.test\.ts › /;
const TOTALS = /^Of \d+ statements .*$/m;

/** The rows of the table: number, text of the specification, statement, state and proof. */
export function readRows(text) {
  return text
    .split('\n')
    .filter((line) => /^\| \d+\.\d+[a-z]? \|/.test(line))
    .map((line) => {
      const [, number, quote, statement, state, ...rest] = line
        .split('|')
        .map((cell) => cell.trim());
      return { number, quote, statement, state, proof: rest.slice(0, -1).join('|') };
    });
}

/** Returns the faults of rows, one line each. */
export function findProblems(rows) {
  const seen = new Set();
  return rows.flatMap(({ number, quote, state, proof }) => {
    const problems = [];
    if (seen.has(number)) problems.push('is there twice');
    seen.add(number);
    if (!quote) problems.push('quotes nothing of the specification');
    if (!STATES.includes(state))
      problems.push(`has the state “${state}”, which is none of ${STATES.join(', ')}`);
    if (state === 'whole' && !FRONT_DOOR.test(proof))
      problems.push('is called whole without a test of the running program');
    if (state === 'partial' && !proof.includes(' › '))
      problems.push('is called partial without a test');
    if (state === 'differs' && /^(`|$)/.test(proof)) problems.push('differs without a reason');
    return problems.map((problem) => `${FILE}: ${number} ${problem}`);
  });
}

/** The line at the head of the page. */
export function totalsOf(rows) {
  const count = (wanted) => rows.filter(({ state }) => state === wanted).length;
  return `Of ${rows.length} statements ${count('whole')} are whole, ${count('partial')} partial, ${count('differs')} differ and ${count('not yet')} are not there.`;
}

if (process.argv[1] === import.meta.filename) {
  const path = join(ROOT, FILE);
  const text = readFileSync(path, 'utf8');
  const rows = readRows(text);
  const problems = [...findMissingTestsOf(FILE), ...findProblems(rows)];
  if (!TOTALS.test(text)) problems.push(`${FILE} has no line with its totals`);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exit(1);
  writeFileSync(path, text.replace(TOTALS, totalsOf(rows)));
  console.log(totalsOf(rows));
}
