// npm run packaging [-- container|service]: builds the image and starts the unit, and tries each as
// people use it.
import { join } from 'node:path';
import { ensureInstalled } from './install.mjs';
import { become, NODE, ROOT } from './lib.mjs';

ensureInstalled();
become(NODE, [join(ROOT, 'e2e/packaging.ts'), ...process.argv.slice(2)]);
