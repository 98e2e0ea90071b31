// Functions of at most 100 lines and four parameters: more are named fields of one object.
// `node scripts/functions.mjs server/src/http` lists the others of one folder.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './lib.mjs';
import { projectFiles } from './source-files.mjs';

const LINES = 100;
const PARAMETERS = 4;
/** Numbers of functions with more parameters, by file. Each has a reason. */
const ALLOWED = {
  // An event of ssh2.
  'server/src/gateway/protocols/ssh/ssh-client.ts': 1,
  // Runs for each mode switch of a flood; an object for each would cost more than the scan.
  'server/src/gateway/sessions/terminal/commands/mode-scanner.ts': 1,
  // The display that the decoders of noVNC call.
  'web/src/kit/desktop-recording/vnc-painter.ts': 3,
};
const PRODUCT = /^(server|contract|web|packages|demo)\/.*\.tsx?$/;
const TEST = /\.test\.tsx?$|\/testing\//;
const FUNCTIONS = new Set(['ArrowFunctionExpression', 'FunctionDeclaration', 'FunctionExpression']);

/** The faults of the functions of the product below a folder, and exceptions that need none. */
export async function findLargeFunctions(under = '') {
  // Loaded here: `npm run check` installs the packages first.
  const { parseAst } = await import('vitest/node');
  return projectFiles(PRODUCT)
    .filter((file) => file.startsWith(under) && !TEST.test(file))
    .flatMap((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8');
      const lines = linesByOffset(text);
      const functions = functionsIn(parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }));
      const faults = functions.flatMap(({ start, end }) => {
        const length = lines[end] - lines[start] + 1;
        return length > LINES
          ? [`${file}:${lines[start]} has a function of ${length} lines, more than ${LINES}`]
          : [];
      });
      const many = functions.filter(({ params }) => params.length > PARAMETERS);
      const allowed = ALLOWED[file] ?? 0;
      if (many.length < allowed)
        faults.push(`scripts/functions.mjs: ${file} has ${many.length}, not ${allowed}`);
      if (many.length > allowed)
        for (const { start, params } of many)
          faults.push(
            `${file}:${lines[start]} has a function of ${params.length} parameters, more than ${PARAMETERS}`,
          );
      return faults;
    });
}

function functionsIn(node) {
  if (typeof node !== 'object' || node === null) return [];
  const inside = Object.values(node).flatMap(functionsIn);
  return FUNCTIONS.has(node.type) && node.body ? [node, ...inside] : inside;
}

/** The line of each character and of the end of the text, from 1. */
function linesByOffset(text) {
  const lines = new Uint32Array(text.length + 1);
  let line = 1;
  for (let offset = 0; offset <= text.length; offset++) {
    lines[offset] = line;
    if (text[offset] === '\n') line += 1;
  }
  return lines;
}

if (process.argv[1] === import.meta.filename)
  for (const fault of await findLargeFunctions(process.argv[2])) console.log(fault);
