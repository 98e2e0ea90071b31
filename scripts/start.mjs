// npm start: installs, builds, and runs the server; does nothing again that is done. `npm start -- --demo` adds sample data.
import { join } from 'node:path';
import { become, ensureBuilt, ensureInstalled, NODE, NODE_FLAGS, ROOT } from './lib.mjs';

ensureInstalled();
ensureBuilt();
become(NODE, [...NODE_FLAGS, join(ROOT, 'server/src/main.ts'), ...process.argv.slice(2)], {
  cwd: process.env.INIT_CWD ?? ROOT,
  // What was compiled once is kept: stripping types at every start costs time and memory.
  env: { NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/compile'), ...process.env },
});
