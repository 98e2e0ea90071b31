import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

/** Takes all descriptors, starts returning memory, and runs past some of its timers. */
const SCRIPT = `
  import { openSync } from 'node:fs';
  const { returnMemory } = await import(process.argv[1]);
  setTimeout(() => process.stdout.write('still runs'), 5_500);
  try {
    for (;;) openSync('/dev/null', 'r');
  } catch (error) {
    process.stdout.write(error.code + ' ');
  }
  returnMemory();`;

it('keeps running when no file can be opened', async () => {
  const words = [
    '--input-type=module',
    '-e',
    SCRIPT,
    join(import.meta.dirname, 'return-memory.ts'),
  ];
  const command = ['-c', 'ulimit -n 64; exec "$@"', 'sh', process.execPath, ...words];
  const { stdout } = await promisify(execFile)('sh', command, {
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  });
  expect(stdout).toBe('EMFILE still runs');
});
