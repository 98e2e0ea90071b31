import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

// The measures run on the Node that the project pins, whichever started this.
const root = fileURLToPath(new URL('..', import.meta.url));
const { status } = spawnSync(`${root}node_modules/node/bin/node`, ['bench/run.ts', ...process.argv.slice(2)], { cwd: root, stdio: 'inherit' });
process.exit(status ?? 1);
