// npm run pages: every page with everything that can be opened on it: accessibility, layout shift,
// rounds of requests.
import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { become, NODE, ROOT } from './lib.mjs';

ensureInstalled();
ensureBuilt();
become(NODE, [join(ROOT, 'e2e/pages.ts'), ...process.argv.slice(2)]);
