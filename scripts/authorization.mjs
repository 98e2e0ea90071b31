// node scripts/authorization.mjs: writes docs/authorization.md from the routes that the server
// registers. server/src/http/authorization.test.ts compares it.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { fail, NODE, ROOT, runQuietly, say } from './lib.mjs';

const MARK = '\n=== authorization ===\n';

// The server does not start without its pages.
if (!existsSync(join(ROOT, 'web/dist/ui/index.html'))) ensureBuilt();
const { status, output } = await runQuietly(NODE, [
  '--disable-warning=ExperimentalWarning',
  join(ROOT, 'server/src/print-authorization.ts'),
  MARK,
]);
const [, text] = output.split(MARK);
if (status !== 0 || text === undefined) fail(output.trim());
writeFileSync(join(ROOT, 'docs/authorization.md'), text);
say('docs/authorization.md is up to date.');
