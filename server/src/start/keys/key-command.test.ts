import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { unique } from '../../testing/builders.ts';
import { changeSettings } from '../../testing/change-settings.ts';
import type { Client, Json } from '../../testing/client.ts';
import { runOperatorCommandIn } from '../../testing/operator-command.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

const newKey = () => randomBytes(32).toString('hex');

let folder: string;
let program: string;
/** The keys that the program prints. */
let printed: readonly string[] = [];
let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-key-'));
  program = join(folder, 'print-key');
  print(newKey());
  test = await startTestProgram({ secretKeyCommand: [program, 'sallyport'] });
  admin = await bearer(test);
  await changeSettings([admin], 'security', { SECURITY_VIEW_AUTH_NEED_MFA: false });
});
afterAll(async () => {
  await test.stop();
  rmSync(folder, { recursive: true });
});

/** Lets the program print lines if its argument is the name of the secret. */
function print(...lines: readonly string[]): void {
  printed = lines;
  write(`[ "$1" = sallyport ] || exit 3\nprintf '%s\\n' ${lines.join(' ')}`);
}

function write(script: string): void {
  writeFileSync(program, `#!/bin/sh\n${script}\n`);
  chmodSync(program, 0o700);
}

const run = (...words: string[]) =>
  runOperatorCommandIn(test.dataDirectory, words, {
    SALLYPORT_DATABASE_URL: test.databaseUrl,
    SALLYPORT_SECRET_KEY_COMMAND: `${program}  sallyport`,
  });

it('seals with the key that a program prints, and rotates to the next one', async () => {
  const { body: user } = await admin.post<{ id: string }>('assets/system-users/', {
    name: unique('s'),
    username: 'root',
    password: 'a sealed secret',
  });
  const read = async () =>
    (await admin.get<Json>(`assets/system-users/${user.id}/auth-info/`)).body.password;
  expect(await read()).toBe('a sealed secret');
  expect(await run('key', 'rotate')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Let the command print a new key'),
  });

  const { stdout: before } = await run('key', 'status');
  const [old, next] = [before.match(/[0-9a-f]{12}/)?.[0], newKey()];
  print(next, ...printed);
  expect(await run('key', 'rotate')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('print only the new one'),
  });
  print(next);
  const { stdout: after } = await run('key', 'status');
  expect(after).toMatch(/[0-9a-f]{12}/);
  expect([after.includes(old ?? ''), after.includes(next)]).toEqual([false, false]);
  expect(await read()).toBe('a sealed secret');
});

it.each([
  ['fails', 'echo a-secret; echo a-secret >&2; exit 3', 'ended with the exit code 3'],
  ['prints no key', 'echo a-secret', 'does not hold a key of 64 hexadecimal digits'],
  ['prints without end', 'yes a-secret', 'printed more than 4 KiB'],
  ['ignores SIGTERM', "trap '' TERM; while :; do sleep 1; done", 'did not end within 10 seconds'],
])('refuses a program that %s, and does not repeat its output', async (_, script, problem) => {
  write(script);
  const { code, stdout, stderr } = await run('key', 'status');
  expect([code, stderr]).toEqual([1, expect.stringContaining(problem)]);
  expect(stdout + stderr).not.toContain('a-secret');
});

it('refuses two sources of the key, and a command without a path', async () => {
  const refused = async (environment: Readonly<Record<string, string>>) =>
    (await runOperatorCommandIn(test.dataDirectory, ['key', 'status'], environment)).stderr;
  expect(
    await refused({
      SALLYPORT_SECRET_KEY: newKey(),
      SALLYPORT_SECRET_KEY_COMMAND: '/bin/print-key',
    }),
  ).toContain('SALLYPORT_SECRET_KEY and SALLYPORT_SECRET_KEY_COMMAND are set');
  expect(await refused({ SALLYPORT_SECRET_KEY_COMMAND: 'print-key' })).toContain(
    'does not begin with the path of a program',
  );
});
