// npm run sallyport -- COMMAND: commands for operators.
import { ensureBuilt, ensureBundled } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { become, COMMANDS, NODE, ROOT } from './lib.mjs';

ensureInstalled();
// The running server starts what is built here.
if (process.argv[2] === 'upgrade') ensureBuilt();
else ensureBundled();
become(NODE, [COMMANDS, ...process.argv.slice(2)], {
  cwd: process.env.INIT_CWD ?? ROOT,
});
