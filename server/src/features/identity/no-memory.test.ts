import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { ERRORS } from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import type { Json } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { sshClient } from '../../testing/ssh/ssh-client.ts';
import { startSshServer } from '../../testing/ssh/ssh-server.ts';
import { type SshWorld, startWorld } from '../../testing/ssh/ssh-world.ts';

/** A hash whose check needs 4 TiB, which `limitMemory` does not allow. */
const TOO_LARGE = `$argon2id$v=19$m=4294967295,t=1,p=1$c2FsdHNhbHQ$${'A'.repeat(43)}`;
const GIBIBYTE = 2 ** 30;

/** Limits the address space of this process. */
const limitMemory = (bytes: number | 'unlimited') =>
  execFileSync('prlimit', ['--pid', String(process.pid), `--as=${bytes}:`]);

let world: SshWorld;
beforeAll(async () => {
  world = await startWorld({}, startSshServer({}), sshClient);
  const kilobytes = /VmSize:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  limitMemory(Number(kilobytes) * 1024 + 64 * GIBIBYTE);
});
afterAll(async () => {
  limitMemory('unlimited');
  await world?.stop();
});

/** Runs work while the check of the member's password needs more memory than there is. */
async function withoutMemory<Result>(work: () => Promise<Result>): Promise<Result> {
  const { test, member } = world;
  const { rows } = await sql<{ password: string }>`
    select password from account where id = ${member.id}`.execute(test.db);
  await sql`update account set password = ${TOO_LARGE} where id = ${member.id}`.execute(test.db);
  try {
    return await work();
  } finally {
    await sql`update account set password = ${rows[0]?.password} where id = ${member.id}`.execute(
      test.db,
    );
  }
}

it('answers 503 in the user’s language when there is no memory to check a password', async () => {
  const { test, member } = world;
  const { username, password } = member;
  await withoutMemory(async () => {
    for (const language of ['en', 'zh'] as const) {
      const answer = await test.visitor
        .with({ 'accept-language': language })
        .post<Json>('authentication/auth/', { username, password });
      expect([answer.status, answer.body.code, answer.body.detail]).toEqual([
        503,
        'server_resources',
        ERRORS.server_resources[language],
      ]);
    }
  });
  await bearer(test, member);
});

it('refuses an ssh client when there is no memory to check its password, and serves the next one', async () => {
  const { ssh, login, member, test } = world;
  const call = { login, password: member.password, command: 'echo re"ach"ed' };
  const { code, stderr } = await withoutMemory(() => ssh.run(call));
  expect(code).not.toBe(0);
  expect(stderr).toContain(ERRORS.server_resources.en);
  expect(test.log()).toContain('a sign-in over SSH failed');
  expect(String((await ssh.run(call)).stdout)).toBe('reached\n');
});

/** Fails without memory, and prints what the server makes of each error. */
const SCRIPT = `
  import { execFileSync } from 'node:child_process';
  import { scryptSync } from 'node:crypto';
  import { readFileSync } from 'node:fs';
  import { hash } from '@node-rs/argon2';
  import { exhaustionOf } from '${resolve(import.meta.dirname, '../../platform/exhausted.ts')}';
  // The library keeps some memory from now on, which its errors need.
  await hash('x', { memoryCost: 8, timeCost: 1, parallelism: 1 });
  const kilobytes = Number(/VmSize:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
  const limit = (kilobytes + 8192) * 1024;
  execFileSync('prlimit', ['--pid', String(process.pid), '--as=' + limit]);
  for (const work of [
    () => hash('x', { memoryCost: 2_000_000, timeCost: 1, parallelism: 1 }),
    () => scryptSync('x', 'salt', 32, { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 30 }),
    () => Buffer.alloc(256 * 1024 * 1024),
  ])
    try {
      await work();
      console.log('done');
    } catch (error) {
      console.log(exhaustionOf(error) ?? String(error));
    }
`;

it('recognizes the errors of the libraries in a process without memory', async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', SCRIPT],
    { cwd: resolve(import.meta.dirname, '../../..') },
  );
  expect(stdout.trim().split('\n')).toEqual(Array(3).fill('server_resources'));
});
