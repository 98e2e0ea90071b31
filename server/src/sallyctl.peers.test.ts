import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from './platform/db/sql.ts';
import { startDatabaseWorld } from './testing/databases/client-world.ts';
import {
  startPostgres,
  VAULT_ACCOUNT,
  VAULT_PASSWORD,
} from './testing/databases/postgres-server.ts';
import { keepDeviceKeys } from './testing/device-keys.ts';
import { freePort } from './testing/free-port.ts';
import { requirePeers } from './testing/peers.ts';
import { type Machine, prepareMachine } from './testing/sallyctl/sallyctl.ts';
import { type OpenSshWorld, startOpenSshWorld } from './testing/ssh/open-ssh-world.ts';

const PROGRAMS = { PATH: '/usr/bin:/bin' };

let world: OpenSshWorld;
let machine: Machine;
beforeAll(async () => {
  requirePeers('openssh-client', 'postgresql');
  world = await startOpenSshWorld();
  await keepDeviceKeys(world.test.db);
  machine = await prepareMachine();
  await machine.signIn(world.test, world.member);
});
afterAll(async () => {
  await machine?.stop();
  await world?.stop();
});

const run = (words: readonly string[]) => {
  const { login, member } = world;
  const environment = world.ssh.environment({ login, password: member.password });
  return machine.run(words, {
    SSH_ASKPASS: String(environment.SSH_ASKPASS),
    SSH_ASKPASS_REQUIRE: 'force',
    TEST_PASSWORD: member.password,
    ...PROGRAMS,
  });
};

it('runs a command, and copies files both ways, with the programs of OpenSSH', async () => {
  const target = `${world.hostname}@${world.accountName}`;
  expect(await run(['ssh', target, 'echo over-$((40+2)); exit 3'])).toMatchObject({
    code: 3,
    stdout: 'over-42\n',
  });
  const [local, back] = [join(machine.home, 'a file'), join(machine.home, 'back')];
  const remote = `sallyctl-${crypto.randomUUID()}`;
  await writeFile(local, 'content');
  expect(await run(['scp', local, `${target}:${remote}`])).toMatchObject({ code: 0 });
  expect(await run(['scp', '-p', `${target}:${remote}`, back])).toMatchObject({ code: 0 });
  expect(await readFile(back, 'utf8')).toBe('content');
  await rm(join('/tmp', remote), { force: true });
});

it('asks for nothing with the programs of OpenSSH, and leaves no key behind', async () => {
  const target = `${world.hostname}@${world.accountName}`;
  // Without an answer to a question: no terminal, and no program that asks.
  const quiet = { ...PROGRAMS, SSH_ASKPASS: '/bin/false', SSH_ASKPASS_REQUIRE: 'force' };
  expect(await machine.run(['ssh', target, 'echo quiet-$((40+2))'], quiet)).toMatchObject({
    code: 0,
    stdout: 'quiet-42\n',
  });
  const local = join(machine.home, 'quiet');
  const remote = `sallyctl-${crypto.randomUUID()}`;
  await writeFile(local, 'content');
  expect(await machine.run(['scp', local, `${target}:${remote}`], quiet)).toMatchObject({
    code: 0,
  });
  expect(await readFile(join('/tmp', remote), 'utf8')).toBe('content');
  await rm(join('/tmp', remote), { force: true });
  const left = await readdir(machine.home);
  expect(left.filter((name) => name.startsWith('sallyctl-'))).toEqual([]);
});

it('refuses a bastion whose key is not the published one, whatever the options say', async () => {
  const { db } = world.test;
  const { rows } = await sql<{ type: string; public_key: string }>`
    select type, public_key from listener_key where type <> 'host-ca'`.execute(db);
  await sql`update listener_key set public_key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGPQ8v9R3l1C7Y7cW3r2nL0s3vJq1V3p5u8mXyZ0aBcD'
    where type <> 'host-ca'`.execute(db);
  const words = ['ssh', world.hostname, '-o', 'StrictHostKeyChecking=no', 'echo', 'reached'];
  const { code, stdout, stderr } = await run(words);
  expect([code, stdout, stderr]).toEqual([255, '', expect.stringMatching(/host key/i)]);
  for (const { type, public_key } of rows)
    await sql`update listener_key set public_key = ${public_key} where type = ${type}`.execute(db);
});

it('opens a database with psql, which verifies the listener', async () => {
  const [postgresqlPort, server] = await Promise.all([freePort(), startPostgres()]);
  const databases = await startDatabaseWorld({ postgresqlPort });
  const sales = await databases.add({
    type: 'postgresql',
    port: server.port,
    database: 'sales',
    username: VAULT_ACCOUNT,
    password: VAULT_PASSWORD,
  });
  await machine.signIn(databases.test, databases.member);
  expect(await machine.run(['db', sales.name, '-Atc', 'select 40 + 2'], PROGRAMS)).toMatchObject({
    code: 0,
    stdout: '42\n',
  });
  await databases.test.stop();
  await server.stop();
});
