// npm run check: format, lint, types, directions of dependency, and that what is written down is
// true.
import { join } from 'node:path';
import { findCircles } from './circles.mjs';
import { findViolations } from './directions.mjs';
import { findStaleDocuments } from './documents.mjs';
import { checkFormat } from './format.mjs';
import { ensureInstalled } from './install.mjs';
import { CACHE, NODE, ROOT, runQuietly, say } from './lib.mjs';
import { findPackageProblems } from './packages.mjs';
import { findWrongRings } from './rings.mjs';
import { createSbom } from './sbom.mjs';
import { findGrowth } from './size.mjs';
import { findMissingClasses } from './style-classes.mjs';
import { findForeignWrites } from './tables.mjs';
import { findRefusedTerms } from './terms.mjs';
import { checkTypes } from './types.mjs';
import { findWebNames } from './web-names.mjs';
import { findWideLines } from './widths.mjs';
import { findNewHardWords } from './wording.mjs';

ensureInstalled();
const tool = (name, words) => runQuietly(NODE, [join(ROOT, 'node_modules', name), ...words]);
const lines = (title, found) =>
  Promise.resolve({ title, status: found.length > 0 ? 1 : 0, output: found.join('\n') });

/**
 * The lock, and that a bill of materials can be made of it: of a package without license or hash
 * there is none.
 */
function findSupplyProblems() {
  const problems = findPackageProblems();
  if (problems.length === 0) createSbom();
  return problems;
}

const checks = await Promise.all([
  checkFormat().then((result) => ({ title: 'format and lint', ...result })),
  ...checkTypes(),
  tool('knip/bin/knip.js', [
    '--no-progress',
    '--treat-config-hints-as-errors',
    '--cache',
    '--cache-location',
    join(CACHE, 'knip'),
  ]).then((result) => ({
    title: 'unused files, exports and dependencies',
    ...result,
  })),
  lines('directions of dependency', findViolations()),
  lines('import circles', findCircles()),
  lines('rings of the tests', findWrongRings()),
  lines('packages: licenses, hashes, bill of materials', findSupplyProblems()),
  lines('tables and their owners', findForeignWrites()),
  lines('names of the files of the web', findWebNames()),
  lines('classes of style modules', findMissingClasses()),
  lines('plain English (docs/glossary.md)', findNewHardWords()),
  lines('terms of the glossary in texts', findRefusedTerms()),
  lines('widths and sizes', findWideLines()),
  lines('size of the core (docs/size.md)', findGrowth()),
  findStaleDocuments().then((found) => lines('documents', found)),
]);
for (const { title, status, output } of checks) {
  say(`${status === 0 ? '✓' : '✗'} ${title}`);
  if (status !== 0) say(output.trimEnd());
}
process.exit(checks.some((check) => check.status !== 0) ? 1 : 0);
