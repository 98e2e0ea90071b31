// npm run sallyport -- COMMAND: commands for operators.
import { become, COMMANDS, ensureBundled, ensureInstalled, NODE, ROOT } from './lib.mjs';

ensureInstalled();
ensureBundled();
become(NODE, [COMMANDS, ...process.argv.slice(2)], {
  cwd: process.env.INIT_CWD ?? ROOT,
});
