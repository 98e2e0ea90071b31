import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { retainedMemory } from '../../../testing/measures/retained-memory.ts';
import { until } from '../../../testing/poll.ts';
import { openSshClients } from '../../../testing/ssh/open-ssh.ts';
import type { OpenSshWorld } from '../../../testing/ssh/open-ssh-world.ts';
import { startWorld } from '../../../testing/ssh/ssh-world.ts';
import { startSshd } from '../../../testing/ssh/sshd.ts';

const MEBIBYTE = 2 ** 20;
const SENT = 48 * MEBIBYTE;
/** Both OpenSSH programs exchange keys again after this many bytes. */
const REKEY = 'RekeyLimit 4M';

let world: OpenSshWorld;
beforeAll(async () => {
  world = await startWorld({}, startSshd({ config: [REKEY] }), openSshClients);
});
afterAll(() => world.stop());

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const callOf = (command: string, options: readonly string[] = []) => ({
  login: world.login,
  password: world.member.password,
  command,
  options: options.flatMap((option) => ['-o', option]),
});

it.each(['aes128-gcm@openssh.com', 'aes256-ctr', 'chacha20-poly1305@openssh.com'])(
  'passes large transfers unchanged with new key exchanges on both sides, client cipher %s',
  async (cipher) => {
    const bytes = randomBytes(SENT);
    const options = [`Ciphers ${cipher}`, REKEY];
    const up = await world.ssh.run({ ...callOf('sha256sum', options), input: bytes });
    expect(up.code + up.stderr).toBe('0');
    expect(up.stdout.toString()).toBe(`${sha256(bytes)}  -\n`);
    const path = join(world.sshd.home, 'large');
    await writeFile(path, bytes, { mode: 0o644 });
    const down = await world.ssh.run(callOf(`cat '${path}'`, options));
    expect(down.stdout.length).toBe(bytes.length);
    expect(sha256(down.stdout)).toBe(sha256(bytes));
  },
);

it('keeps memory bounded while a client does not read, and then delivers the rest', async () => {
  const progress = join(world.sshd.home, 'progress');
  const call = callOf(
    `for i in $(seq 64); do head -c ${MEBIBYTE} /dev/zero; echo $i > '${progress}'; done`,
  );
  const before = await retainedMemory();
  const child = spawn('ssh', [...world.ssh.words(call)], {
    env: world.ssh.environment(call),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const written = async () => Number(await readFile(progress, 'utf8').catch(() => ''));
  let last = 0;
  let unchanged = 0;
  await until(async () => {
    const now = await written();
    unchanged = now === last && now > 0 ? unchanged + 1 : 0;
    last = now;
    return unchanged > 10;
  }, 'the command waits for the client');
  expect(last).toBeLessThan(32);
  expect((await retainedMemory()) - before).toBeLessThan(12 * MEBIBYTE);
  let received = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    received += chunk.length;
  });
  await once(child, 'close');
  expect(received).toBe(64 * MEBIBYTE);
});
