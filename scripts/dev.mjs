// npm run dev: the server, started again after each change, and the web with hot reload in front of
// it. The embedded database stays while the server restarts.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ensureInstalled } from './install.mjs';
import { NODE, ROOT, say } from './lib.mjs';

const words = process.argv.slice(2);

/** Starts the embedded database; undefined if the operator names another, or if it fails. */
async function startDatabase() {
  if (process.env.SALLYPORT_DATABASE_URL) return undefined;
  const database = spawn(NODE, [join(ROOT, 'scripts/dev-database.mjs'), ...words], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [message] = await Promise.race([once(database, 'message'), once(database, 'exit')]);
  if (message !== 'ready') process.exit(1);
  return database;
}

ensureInstalled();
const database = await startDatabase();
const children = [
  spawn(
    NODE,
    [
      '--watch',
      '--watch-preserve-output',
      join(ROOT, 'server/src/main.ts'),
      ...words,
      ...(database ? ['--development'] : []),
    ],
    { cwd: ROOT, stdio: 'inherit' },
  ),
  spawn(NODE, [join(ROOT, 'node_modules/vite/bin/vite.js'), '--host', '127.0.0.1'], {
    cwd: join(ROOT, 'web'),
    stdio: 'inherit',
  }),
];
say('The web with hot reload: http://127.0.0.1:5173/ui/');
const stop = () => {
  for (const child of children) child.kill('SIGTERM');
};
process.on('SIGINT', stop);
process.on('SIGTERM', stop);
for (const child of children) child.once('exit', stop);
database?.once('exit', stop);
await Promise.all(children.map((child) => once(child, 'exit')));
if (database?.connected) database.disconnect();
