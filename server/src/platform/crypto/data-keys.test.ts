import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { StartError } from '../../config.ts';
import { startProgram } from '../../program.ts';
import { runOperatorCommand } from '../../testing/operator-command.ts';
import { startTestProgram, type TestProgram, testConfig } from '../../testing/test-program.ts';
import { createLog } from '../log.ts';

let test: TestProgram;
let folder: string;
beforeAll(async () => {
  test = await startTestProgram();
  folder = await mkdtemp(join(tmpdir(), 'sallyport-keys-'));
});
afterAll(async () => {
  await test.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Starts a server on the database of the test. Returns its error and its log. */
async function refusal(): Promise<{ readonly error: unknown; readonly log: string }> {
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const config = { ...testConfig(folder), databaseUrl: test.databaseUrl };
  const error = await startProgram(config, createLog('trace', sink)).then(
    (program) => program.stop(),
    (reason: unknown) => reason,
  );
  return { error, log: lines.join('') };
}

it('creates no key for a database that another key has sealed', async () => {
  const { error, log } = await refusal();
  expect(error).toBeInstanceOf(StartError);
  expect(String(error)).toContain('The secret key of this database is missing');
  expect(existsSync(join(folder, 'secret.key'))).toBe(false);
  expect(log).not.toContain('seal');
});

it('rejects a wrong key before it compares the logs with their seals', async () => {
  const key = join(folder, 'secret.key');
  writeFileSync(key, `${'b2'.repeat(32)}\n`, { mode: 0o600 });
  const { error, log } = await refusal();
  expect(error).toBeInstanceOf(StartError);
  expect(String(error)).toContain('sealed with another key');
  expect(log).not.toContain('seal');
  expect(readFileSync(key, 'utf8').trim()).toBe('b2'.repeat(32));
});

it('rejects a command without the key, and creates none', async () => {
  const key = join(test.dataDirectory, 'secret.key');
  renameSync(key, `${key}.away`);
  try {
    const { code, stderr } = await runOperatorCommand(test, ['user', 'reset-mfa', 'admin']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('is missing')]);
    expect(existsSync(key)).toBe(false);
  } finally {
    renameSync(`${key}.away`, key);
  }
});
