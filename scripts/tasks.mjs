// npm run tasks: how many clicks and keys common tasks take, counted in a real browser; writes
// docs/tasks.md.
import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { become, NODE, ROOT } from './lib.mjs';

ensureInstalled();
ensureBuilt();
become(NODE, [join(ROOT, 'e2e/tasks.ts'), ...process.argv.slice(2)]);
