// node scripts/authorization.mjs: writes docs/authorization.md out of the routes that the server registers.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBuilt, fail, NODE, ROOT, runQuietly, say } from './lib.mjs';

const FILE = join(ROOT, 'docs/authorization.md');
const MARK = '\n=== authorization ===\n';

/** The document as it should be. @throws what the server said when it could not be started */
export async function authorizationDocument() {
  // The program does not start without its pages.
  if (!existsSync(join(ROOT, 'web/dist/ui/index.html'))) ensureBuilt();
  const { status, output } = await runQuietly(NODE, ['--disable-warning=ExperimentalWarning', join(ROOT, 'server/src/print-authorization.ts'), MARK]);
  const [, text] = output.split(MARK);
  if (status !== 0 || text === undefined) throw new Error(output.trim());
  return text;
}

/** What is wrong with the document that is kept, in lines. */
export async function findStaleAuthorization() {
  try {
    return (await authorizationDocument()) === readFileSync(FILE, 'utf8') ? [] : ['docs/authorization.md is out of date: run node scripts/authorization.mjs'];
  } catch (error) {
    return [`docs/authorization.md cannot be compared: ${error.message}`];
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await authorizationDocument().then(
    (text) => {
      writeFileSync(FILE, text);
      say('docs/authorization.md is up to date.');
    },
    (error) => fail(error.message),
  );
}
