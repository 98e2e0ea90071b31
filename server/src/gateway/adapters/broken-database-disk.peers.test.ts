import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ERRORS } from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type EmbeddedDatabase, startEmbedded } from '../../platform/db/embedded.ts';
import type { Client, Json } from '../../testing/client.ts';
import { type PostgresServer, startPostgres } from '../../testing/databases/postgres-server.ts';
import { socketsOf } from '../../testing/desktops/desktop-world.ts';
import { freePort } from '../../testing/free-port.ts';
import { waysInto } from '../../testing/gateway/ways-in.ts';
import { requirePeers } from '../../testing/peers.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import { openSshClients } from '../../testing/ssh/open-ssh.ts';
import { startSshServer } from '../../testing/ssh/ssh-server.ts';
import { type SshWorld, startWorld } from '../../testing/ssh/ssh-world.ts';
import { TerminalClient } from '../../testing/terminals/terminal-client.ts';

requirePeers('mount');

const run = promisify(execFile);
let folder: string;
let space: string;
let database: EmbeddedDatabase;
let target: PostgresServer;
let world: SshWorld;
let person: Client;
let ways: Awaited<ReturnType<typeof waysInto>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-database-disk-'));
  space = join(folder, 'space');
  await mkdir(space);
  await run('chmod', ['711', folder]);
  await writeFile(join(folder, 'image'), '');
  await truncate(join(folder, 'image'), 256 * 1024 * 1024);
  await run('mkfs.ext4', ['-q', join(folder, 'image')]);
  await run('mount', ['-o', 'loop', join(folder, 'image'), space]);
  await run('chmod', ['711', space]);
  database = await startEmbedded(space);
  target = await startPostgres();
  world = await startWorld(
    { databaseUrl: database.url, postgresqlPort: await freePort() },
    startSshServer({}),
    openSshClients,
  );
  person = (await bearer(world.test, world.member)).inOrganization(world.organization);
  ways = await waysInto(world, target.port, person);
});
afterAll(async () => {
  await run('fsfreeze', ['--unfreeze', space]).catch(() => undefined);
  await world?.stop();
  await target?.stop();
  await database?.stop();
  await run('umount', [space]);
  await rm(folder, { recursive: true });
});

const opened = async () => {
  const client = await TerminalClient.connect(
    socketsOf(world.test.program.url),
    { asset: world.asset, system_user: world.systemUser },
    person.headers,
  );
  const { session } = await client.message('open');
  return { client, session };
};
const health = async () => {
  const { status, body } = await world.test.visitor.get<{ dependencies: Json }>('/api/health/');
  return [status, body.dependencies.database];
};

it('answers each way while the disk of the database hangs, and keeps open sessions', async () => {
  const { client, session } = await opened();
  expect(await health()).toEqual([200, { status: 'up' }]);
  await run('fsfreeze', ['--freeze', space]);
  try {
    const hanging = [503, { status: 'down', code: 'hanging' }];
    const [answers] = await Promise.all([
      Promise.all(Object.entries(ways).map(async ([way, open]) => [way, await open()] as const)),
      expect.poll(health, { timeout: 150_000, interval: 1_000 }).toEqual(hanging),
    ]);
    for (const [way, answer] of answers) {
      const isHttp = way === 'a change' || way === 'sign-in';
      const { en } = ERRORS[isHttp ? 'database_away' : 'connect_database_away'];
      // An SSH client reads the reason at its next question, which this one does not answer.
      expect(answer, way).toContain(way === 'ssh' ? 'Permission denied' : en);
      if (isHttp) expect(answer, way).toMatch(/^503 /);
    }
    expect(await health()).toEqual(hanging);
    client.type('echo fro"z"en\r');
    await client.waitFor('frozen');
  } finally {
    await run('fsfreeze', ['--unfreeze', space]);
  }
  for (const [way, open] of Object.entries(ways))
    await until(async () => (await open()) === 'open', `${way} opens again`);
  client.type('exit\r');
  await client.message('closed');
  await until(async () => {
    const { body } = await world.administrator.get<Json>(`terminal/sessions/${session}/`);
    return body.can_replay === true && body.command_amount === 2;
  }, 'recording and commands are complete');
});
