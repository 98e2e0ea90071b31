// npm run sallyport -- COMMAND: commands for operators.
import { join } from 'node:path';
import { become, ensureInstalled, NODE, ROOT } from './lib.mjs';

ensureInstalled();
become(NODE, [join(ROOT, 'server/src/cli.ts'), ...process.argv.slice(2)], {
  cwd: process.env.INIT_CWD ?? ROOT,
});
