// npm run test:clients: drivers of Java, Python, Go and Rust against a running program. They need
// toolchains and packages of other registries, so CI does not run them.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { fail, NODE, ROOT, runShown } from './lib.mjs';
import { NOTES_PEERS, sayPeers } from './peers-run.mjs';

const TOOLS = [
  { program: 'java', words: ['-version'], get: 'apt-get install -y default-jdk-headless' },
  {
    program: 'python3',
    words: ['-m', 'pip', '--version'],
    get: 'apt-get install -y python3-pip',
  },
  { program: 'mvn', words: ['-version'], get: 'apt-get install -y maven' },
  { program: 'kubectl', words: ['version', '--client'], get: 'kubectl 1.30 or newer' },
  { program: 'go', words: ['version'], get: 'Go 1.24 or newer, from its makers' },
  { program: 'cargo', words: ['--version'], get: 'Rust 1.78 or newer, from its makers' },
  { program: '/usr/sbin/mariadbd', words: ['--version'], get: 'apt-get install -y mariadb-server' },
  {
    program: '/usr/sbin/sshd',
    words: ['-V'],
    get: 'apt-get install -y openssh-server openssh-client',
  },
];

const missing = TOOLS.filter(
  ({ program, words }) => spawnSync(program, words, { stdio: 'ignore' }).error,
);
if (missing.length > 0)
  fail(
    `These programs are not on this machine:\n${missing.map(({ program, get }) => `  ${program}: ${get}`).join('\n')}`,
  );
ensureInstalled();
ensureBuilt();
const words = ['run', '--config', join(ROOT, 'clients/vitest.config.ts'), ...process.argv.slice(2)];
const status = await runShown(NODE, [join(ROOT, 'node_modules/vitest/vitest.mjs'), ...words], {
  env: { ...process.env, ...NOTES_PEERS },
});
sayPeers();
process.exit(status);
