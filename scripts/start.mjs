// npm start: installs, builds, and runs the server, and restarts it after a crash. Skips finished
// steps. `npm start -- --demo` adds sample data.
import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { MALLOC, NODE, NODE_FLAGS, ROOT, SERVER } from './lib.mjs';
import { answerWords } from './start-words.mjs';
import { supervise } from './supervise.mjs';

const flags = process.argv.slice(2);
answerWords(flags);
ensureInstalled();
ensureBuilt();
supervise(NODE, [...NODE_FLAGS, SERVER, ...flags], {
  cleanUp: [...NODE_FLAGS, join(ROOT, 'server/src/start/stop-leftovers.ts'), ...flags],
  cwd: process.env.INIT_CWD ?? ROOT,
  // Compiled code is cached: compiling at every start costs time and memory.
  env: { NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/compile'), ...MALLOC, ...process.env },
});
