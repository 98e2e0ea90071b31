// npm run bench: measures, compared with a peer where there is one, and writes docs/benchmarks.md.
// `npm run bench -- NAME` runs one.
import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { become, NODE, ROOT } from './lib.mjs';

ensureInstalled();
ensureBuilt();
become(NODE, [join(ROOT, 'bench/run.ts'), ...process.argv.slice(2)]);
