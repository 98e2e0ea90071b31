// npm run dev: the server, started again after each change, and the web with hot reload in front of
// it.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { NODE, ROOT, say } from './lib.mjs';

ensureInstalled();
ensureBuilt();
const children = [
  spawn(
    NODE,
    [
      '--watch',
      '--watch-preserve-output',
      join(ROOT, 'server/src/main.ts'),
      ...process.argv.slice(2),
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
