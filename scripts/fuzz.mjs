// npm run fuzz: runs the property tests with a new seed and many more inputs than npm test. Prints
// the seed, which reproduces a failure.
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { NODE, ROOT, run, say } from './lib.mjs';

/** Files whose tests take the seed and the number of inputs from the environment. */
const FILES = [
  'property.test',
  'commands/edited-lines.test',
  'http/bad-query',
  'http/multipart',
  'http/raw-requests',
  'assets/node-counts',
  'what-if/compare',
  // Servers that attack the gateway; their tables are fixed.
  'gateway/hostile',
  'databases/hostile-servers',
  'files/hostile-sftp',
  'commands/hostile-output',
];

ensureInstalled();
ensureBuilt();
const {
  SALLYPORT_FUZZ_SEED: seed = String(randomInt(2 ** 31)),
  SALLYPORT_FUZZ_TIMES: times = '20',
} = process.env;
say(`Repeat with: SALLYPORT_FUZZ_SEED=${seed} SALLYPORT_FUZZ_TIMES=${times} npm run fuzz`);
const only = process.argv.slice(2);
const environment = { ...process.env, SALLYPORT_FUZZ_SEED: seed, SALLYPORT_FUZZ_TIMES: times };
process.exit(
  run(
    NODE,
    [
      join(ROOT, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--project',
      'packages',
      '--project',
      'server',
      ...(only.length > 0 ? only : FILES),
    ],
    { env: environment },
  ),
);
