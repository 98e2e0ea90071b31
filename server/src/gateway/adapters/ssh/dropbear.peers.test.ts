import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { requirePeers } from '../../../testing/peers.ts';
import { type OpenSshWorld, startOpenSshWorld } from '../../../testing/ssh/open-ssh-world.ts';

requirePeers('dropbear-bin');
const run = promisify(execFile);

let world: OpenSshWorld;
let key: string;
beforeAll(async () => {
  world = await startOpenSshWorld();
  const publicKey = (await readFile(`${world.sshd.keyFile}.pub`, 'utf8')).trim();
  await sql`update account set public_key = ${publicKey} where id = ${world.member.id}`.execute(
    world.test.db,
  );
  key = join(world.sshd.home, '..', 'dropbear_key');
  await run('dropbearconvert', ['openssh', 'dropbear', world.sshd.keyFile, key]);
});
afterAll(() => world.stop());

it('runs commands for dbclient, which sends a guess at the key exchange with its offer', async () => {
  // `-y` twice accepts any host key; this bastion has a new one each time.
  const words = [
    '-y',
    '-y',
    '-i',
    key,
    '-p',
    String(world.port),
    '-l',
    world.login,
    '127.0.0.1',
    'echo ran; exit 3',
  ];
  const environment = { ...process.env, HOME: join(world.sshd.home, '..') };
  const failed = await run('dbclient', words, { env: environment }).catch(
    (error: unknown) => error,
  );
  expect(failed).toMatchObject({ code: 3, stdout: 'ran\n' });
});
