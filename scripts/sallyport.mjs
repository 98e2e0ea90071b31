// npm run sallyport -- COMMAND: commands for operators.
import { ensureBundled } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { become, COMMANDS, NODE, ROOT } from './lib.mjs';

ensureInstalled();
ensureBundled();
become(NODE, [COMMANDS, ...process.argv.slice(2)], {
  cwd: process.env.INIT_CWD ?? ROOT,
});
