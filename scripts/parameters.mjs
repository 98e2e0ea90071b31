// Functions of at most four parameters: more are named fields of one object.
// `node scripts/parameters.mjs server/src/http` lists the others of one folder.
import { productFunctions } from './long-functions.mjs';

const PARAMETERS = 4;
/** Functions with more, by file. Each has a reason. */
const ALLOWED = {
  // An event of ssh2.
  'server/src/gateway/protocols/ssh/ssh-client.ts': 1,
  // Runs for each mode switch of a flood; an object for each would cost more than the scan.
  'server/src/gateway/sessions/terminal/commands/mode-scanner.ts': 1,
  // The display that the decoders of noVNC call.
  'web/src/kit/desktop-recording/vnc-painter.ts': 3,
};

const findFunctions = async (under) =>
  (await productFunctions(under)).filter(({ node }) => node.params.length > PARAMETERS);

const inWords = ({ file, line, node }) =>
  `${file}:${line} has a function of ${node.params.length} parameters`;

/** The faults of functions with more than four parameters, and of exceptions without one. */
export async function findManyParameters() {
  const all = await findFunctions();
  const files = new Set([...all.map(({ file }) => file), ...Object.keys(ALLOWED)]);
  return [...files].flatMap((file) => {
    const functions = all.filter((one) => one.file === file);
    const allowed = ALLOWED[file] ?? 0;
    if (functions.length < allowed)
      return [`scripts/parameters.mjs: ${file} has ${functions.length}, not ${allowed}`];
    return functions.length > allowed ? functions.map(inWords) : [];
  });
}

if (process.argv[1] === import.meta.filename)
  for (const one of await findFunctions(process.argv[2])) console.log(inWords(one));
