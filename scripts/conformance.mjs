// Holds docs/conformance.md against docs/conformance.json, and both against their rules. A release
// runs it: `npm run conformance`. `-- --write` writes the page, `-- --read` the file from the page.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findMissingTestsOf } from './documents.mjs';
import { ROOT } from './lib.mjs';

const FILE = 'docs/conformance.md';
const SOURCE = 'docs/conformance.json';
const STATES = ['whole', 'partial', 'differs', 'not yet'];
/** Tests of the running program: in a browser, or by HTTP. */
const FRONT_DOOR = /^(?:e2e|server)\/[\w./-]+\.test\.ts › /;
const TOTALS = /^Of \d+ statements .*$/m;
const TEST = /`([\w./-]+\.test\.(?:tsx?|mjs) › [^`]+)`/g;
const HEAD =
  '| No. | The specification says | Here | State | Proof |\n| --- | --- | --- | --- | --- |';

/**
 * Returns the sections of the page with their rows: number, the text of the specification, what it
 * means here, state, reason of a difference, tests and a note.
 */
export function readPage(text) {
  return text
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [title = '', ...lines] = section.split('\n');
      return {
        title,
        rows: lines.filter((line) => /^\| \d+\.\d+[a-z]? \|/.test(line)).map(readRow),
      };
    });
}

function readRow(line) {
  const [, number, quote, statement, state, ...rest] = line
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
  const proof = rest.slice(0, -1).join('|');
  const tests = [...proof.matchAll(TEST)].map(([, test]) => test);
  const [before, ...after] = proof.split(TEST).filter((_, index) => index % 2 === 0);
  const note = after
    .map((text) => text.replace(/^[,;\s]+|[,\s]+$/g, ''))
    .filter(Boolean)
    .join('; ');
  const reason = (tests.length > 0 ? before : proof).trim().replace(/\.$/, '');
  return {
    number,
    quote,
    statement,
    state,
    ...(reason && { reason }),
    tests,
    ...(note && { note }),
  };
}

/** Returns the faults of rows, one line each. */
export function findProblems(rows) {
  const seen = new Set();
  return rows.flatMap(({ number, quote, state, reason, tests }) => {
    const problems = [];
    if (seen.has(number)) problems.push('is there twice');
    seen.add(number);
    if (!quote) problems.push('quotes nothing of the specification');
    if (!STATES.includes(state))
      problems.push(`has the state “${state}”, which is none of ${STATES.join(', ')}`);
    if (state === 'whole' && !tests.some((test) => FRONT_DOOR.test(test)))
      problems.push('is called whole without a test of the running program');
    if (state === 'partial' && tests.length === 0)
      problems.push('is called partial without a test');
    if (state === 'differs' && !reason) problems.push('differs without a reason');
    return problems.map((problem) => `${SOURCE}: ${number} ${problem}`);
  });
}

/** The line at the head of the page. */
export function totalsOf(rows) {
  const count = (wanted) => rows.filter(({ state }) => state === wanted).length;
  return `Of ${rows.length} statements ${count('whole')} are whole, ${count('partial')} partial, ${count('differs')} differ and ${count('not yet')} are not there.`;
}

function writeRow({ number, quote, statement, state, reason, tests, note }) {
  const proof = [...tests.map((test) => `\`${test}\``), ...(note ? [note] : [])].join(', ');
  const cells = [
    number,
    quote,
    statement,
    state,
    [reason && `${reason}.`, proof].filter(Boolean).join(' '),
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** Returns the page: its own head with new totals, and the sections. */
export function writePage(page, sections) {
  const rows = sections.flatMap((section) => section.rows);
  const [head = ''] = page.split(/^## /m);
  return [
    head.replace(TOTALS, totalsOf(rows)).trimEnd(),
    ...sections.map(
      ({ title, rows: own }) => `## ${title}\n\n${HEAD}\n${own.map(writeRow).join('\n')}`,
    ),
  ]
    .join('\n\n')
    .concat('\n');
}

if (process.argv[1] === import.meta.filename) {
  const [page, source] = [FILE, SOURCE].map((file) => join(ROOT, file));
  const text = readFileSync(page, 'utf8');
  const isRead = process.argv.includes('--read');
  const sections = isRead ? readPage(text) : JSON.parse(readFileSync(source, 'utf8'));
  const rows = sections.flatMap((section) => section.rows);
  const problems = findProblems(rows);
  if (!TOTALS.test(text)) problems.push(`${FILE} has no line with its totals`);
  const written = writePage(text, sections);
  if (isRead) writeFileSync(source, `${JSON.stringify(sections, undefined, 2)}\n`);
  if (isRead || process.argv.includes('--write')) writeFileSync(page, written);
  else if (written !== text)
    problems.push(`${FILE} is not what ${SOURCE} says; --write takes the file, --read the page`);
  problems.push(...findMissingTestsOf(FILE));
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exit(1);
  console.log(totalsOf(rows));
}
