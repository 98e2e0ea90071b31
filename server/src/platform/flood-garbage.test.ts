import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import flags from '../../../scripts/node-flags.json' with { type: 'json' };

const run = promisify(execFile);
/** Largest heap during the flood, in sizes of the heap before it. */
const MOST = 1.5;

/** Runs as a separate process: the growth of the heap belongs to the process of the server. */
const PROGRAM = `
import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
const { readFairly } = await import(process.env.TEST_READS);
const sessions = Array.from({ length: 600_000 }, (_, index) => ({ index, name: 'name ' + index }));
setFlagsFromString('--expose-gc');
runInNewContext('gc')();
const before = process.memoryUsage().heapUsed;
let most = 0;
const stream = new Readable({ read: () => undefined });
readFairly(stream);
stream.resume();
const kept = [];
for (let count = 0; count < 8_000; count++) {
  stream.push(Buffer.alloc(16 * 1024));
  // Output that waits for its reader: it lives long enough to leave the young generation.
  for (let line = 0; line < 100; line++)
    kept[(count * 100 + line) % 60_000] = { text: count + ':' + line };
  if (count % 8 === 0) await turn();
  most = Math.max(most, process.memoryUsage().heapUsed);
}
console.log(most / before, sessions.length);
`;

it('keeps the garbage of a flood small next to the memory of sessions', async () => {
  const env = { ...process.env, TEST_READS: join(import.meta.dirname, 'fair-reads.ts') };
  const { stdout } = await run(process.execPath, [...flags, '--input-type=module', '-e', PROGRAM], {
    env,
  });
  expect(Number.parseFloat(stdout)).toBeLessThan(MOST);
});
