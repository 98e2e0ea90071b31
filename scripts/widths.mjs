// Lines of at most 100 columns, product files of at most 300 lines. The formatter breaks code;
// comments, SQL and long expressions of tests are broken by hand.
// `node scripts/widths.mjs server/src/http` prints the faults of one folder.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './lib.mjs';
import { projectFiles } from './source-files.mjs';

const COLUMNS = 100;
const LINES = 300;
const TEST_LINES = 850;
/** Not broken: a text, a regular expression or an address is one thing. */
const ONE_THING =
  /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`[^`]*`|\/(?:[^/\\\n]|\\.)+\/[a-z]*|https?:\S+|biome-ignore .*/g;
const TEST = /\.test\.(ts|tsx|mjs)$|^e2e\/|\/testing\//;
/** Frozen texts, and one long table. */
const EXEMPT =
  /^server\/src\/(migrations\/|config-variables\.ts|features\/terminal\/digest-versions\.test\.ts)/;

const rest = (line) =>
  /^\s*(\/\/|\/?\*)/.test(line)
    ? line.replaceAll(/https?:\S+|biome-ignore .*/g, '')
    : line.replaceAll(ONE_THING, "''");

/** The formatter has broken lines with a template as far as it can. */
const isOneThing = (line) =>
  line.includes('`') ? !/^\s*(\/\/|\/?\*)/.test(line) : /^(import|export) .* from '/.test(line);

/** Lines that are too long and files that are too large, one line each. */
export function findWideLines(under = '') {
  return projectFiles(/\.(ts|tsx|mjs)$/)
    .filter((file) => file.startsWith(under) && !EXEMPT.test(file))
    .flatMap((file) => {
      const lines = readFileSync(join(ROOT, file), 'utf8').trimEnd().split('\n');
      const limit = TEST.test(file) ? TEST_LINES : LINES;
      const long =
        lines.length > limit ? [`${file} has ${lines.length} lines, above ${limit}`] : [];
      const wide = lines.flatMap((line, index) =>
        line.length > COLUMNS && !isOneThing(line) && rest(line).length > COLUMNS / 2
          ? [`${file}:${index + 1} has ${line.length} columns`]
          : [],
      );
      return [...long, ...wide];
    });
}

if (process.argv[1] === import.meta.filename) {
  const faults = findWideLines(process.argv[2]);
  for (const fault of faults) console.log(fault);
  console.log(`${faults.length} faults`);
  if (faults.length > 0) process.exitCode = 1;
}
