// npm run screenshots: pictures of every page, in both languages and both themes, from the real
// product with sample data.
import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { become, NODE, ROOT } from './lib.mjs';

ensureInstalled();
ensureBuilt();
become(NODE, [join(ROOT, 'e2e/screenshots.ts'), ...process.argv.slice(2)]);
