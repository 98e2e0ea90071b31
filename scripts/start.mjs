// npm start: installs, builds, and runs the server, again after a crash; does nothing again that is done. `npm start -- --demo` adds sample data.
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, NODE, NODE_FLAGS, ROOT } from './lib.mjs';
import { supervise } from './supervise.mjs';

ensureInstalled();
ensureBuilt();
supervise(NODE, [...NODE_FLAGS, join(ROOT, 'server/src/main.ts'), ...process.argv.slice(2)], {
  cwd: process.env.INIT_CWD ?? ROOT,
  // What was compiled once is kept: stripping types at every start costs time and memory.
  // Few arenas of malloc: each thread's own would keep what it has freed.
  env: { NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/compile'), MALLOC_ARENA_MAX: '2', ...process.env },
});
