// Functions of at most 100 lines. The functions that are longer are counted, and their number may
// only fall.
// `node scripts/long-functions.mjs server/src/http` lists those of one folder, the longest first.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './lib.mjs';
import { projectFiles } from './source-files.mjs';

const LINES = 100;
/** Number of longer functions that are left. Lower it with every function that is split. */
const LEFT = 0;
const PRODUCT = /^(server|contract|web|packages|demo)\/.*\.tsx?$/;
const TEST = /\.test\.tsx?$|\/testing\//;
const FUNCTIONS = new Set(['ArrowFunctionExpression', 'FunctionDeclaration', 'FunctionExpression']);

/** The functions of the product below a folder, each with its file, first line, lines and node. */
export async function productFunctions(under = '', fewestLines = 1) {
  // Loaded here: `npm run check` installs the packages first.
  const { parseAst } = await import('vitest/node');
  return projectFiles(PRODUCT)
    .filter((file) => file.startsWith(under) && !TEST.test(file))
    .flatMap((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8');
      const lineAt = (offset) => text.slice(0, offset).split('\n').length;
      if (lineAt(text.length) < fewestLines) return [];
      const tree = parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' });
      return functionsIn(tree).map((node) => ({
        file,
        node,
        line: lineAt(node.start),
        lines: lineAt(node.end) - lineAt(node.start) + 1,
      }));
    });
}

/** Functions of more than 100 lines, the longest first. */
const findLongFunctions = async (under) =>
  (await productFunctions(under, LINES + 1))
    .filter(({ lines }) => lines > LINES)
    .sort((one, other) => other.lines - one.lines);

function functionsIn(node) {
  if (typeof node !== 'object' || node === null) return [];
  const inside = Object.values(node).flatMap(functionsIn);
  return FUNCTIONS.has(node.type) && node.body ? [node, ...inside] : inside;
}

const inWords = ({ file, line, lines }) => `${file}:${line} has a function of ${lines} lines`;

/** The fault if there are more long functions than before, or fewer without a lower number. */
export async function findMoreLongFunctions() {
  const functions = await findLongFunctions();
  if (functions.length === LEFT) return [];
  return functions.length < LEFT
    ? [`scripts/long-functions.mjs: lower LEFT from ${LEFT} to ${functions.length}`]
    : [
        `${functions.length} functions of more than ${LINES} lines, above ${LEFT}:`,
        ...functions.map(inWords),
      ];
}

if (process.argv[1] === import.meta.filename)
  for (const one of await findLongFunctions(process.argv[2])) console.log(inWords(one));
