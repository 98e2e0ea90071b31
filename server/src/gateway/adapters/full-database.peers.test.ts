import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ERRORS } from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { examine } from '../../start/doctor/doctor.ts';
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
let postgres: PostgresServer;
let world: SshWorld;
let person: Client;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-full-database-'));
  await chmod(folder, 0o711);
  space = join(folder, 'space');
  await mkdir(space);
  await run('mount', ['-t', 'tmpfs', '-o', 'size=96m', 'none', space]);
  postgres = await startPostgres();
  const [{ data_directory: data } = {}] = await postgres.admin('show data_directory');
  const { uid, gid } = await stat(String(data));
  await run('chown', [`${uid}:${gid}`, space]);
  // The log of the database has room: without it, PostgreSQL itself would stop.
  await postgres.admin(`create tablespace small location '${space}'`);
  await postgres.admin(`create role app login createdb password 'secret'`);
  await postgres.admin('create database console owner app template template0 tablespace small');
  world = await startWorld(
    {
      databaseUrl: `postgresql://app:secret@127.0.0.1:${postgres.port}/console`,
      postgresqlPort: await freePort(),
    },
    startSshServer({}),
    openSshClients,
  );
  person = (await bearer(world.test, world.member)).inOrganization(world.organization);
});
afterAll(async () => {
  await world?.stop();
  await postgres?.stop();
  await run('umount', [space]);
  await rm(folder, { recursive: true });
});

const health = async () => {
  const { status, body } = await world.test.visitor.get<{ dependencies: Json }>('/api/health/');
  return [status, body.dependencies.database];
};
const attention = async () =>
  (await world.administrator.get<readonly { kind: string }[]>('common/attention/')).body.some(
    ({ kind }) => kind === 'database_stopped',
  );
const doctor = async () => {
  const { program, databaseUrl, dataDirectory } = world.test;
  const { findings } = await examine(
    {
      SALLYPORT_HTTP_PORT: new URL(program.url).port,
      SALLYPORT_DATABASE_URL: databaseUrl,
      SALLYPORT_DATA_DIR: dataDirectory,
    },
    [],
  );
  return findings.filter(({ check, level }) => check === 'database' && level === 'problem');
};

it('refuses each way with the reason while the disk of the database is full, and loses nothing', async () => {
  const ways = await waysInto(world, postgres.port, person);
  const { test, administrator } = world;
  const running = await TerminalClient.connect(
    socketsOf(test.program.url),
    { asset: world.asset, system_user: world.systemUser },
    person.headers,
  );
  const { session } = await running.message('open');
  expect(await health()).toEqual([200, { status: 'up' }]);
  expect([await attention(), await doctor()]).toEqual([false, []]);
  await run('sh', ['-c', 'yes > "$0/fill" 2>/dev/null || true', space]);
  for (const [way, open] of Object.entries(ways)) {
    let answer = '';
    // Pages of the database that have room left take some more rows.
    await until(async () => {
      answer = await open();
      return answer !== 'open';
    }, `${way} is refused`);
    expect(answer, way).toContain(ERRORS.server_disk_full.en);
    if (way === 'a change' || way === 'sign-in') expect(answer, way).toMatch(/^507 /);
  }
  const full = [503, { status: 'down', code: 'full' }];
  await expect.poll(health, { timeout: 20_000 }).toEqual(full);
  expect(await attention()).toBe(true);
  expect(await doctor()).toMatchObject([{ message: expect.stringContaining('disk is full') }]);
  expect((await administrator.get('terminal/sessions/')).status).toBe(200);
  running.type('echo st"i"ll\r');
  await running.waitFor('still');
  expect(test.log()).not.toContain('a request failed');

  // A little room ends nothing: the next changes would take it.
  await run('truncate', ['-s', '-4M', join(space, 'fill')]);
  await until(async () => (await doctor()).length === 0, 'a new probe has room');
  expect(await health()).toEqual(full);

  await rm(join(space, 'fill'));
  await expect.poll(health, { timeout: 20_000 }).toEqual([200, { status: 'up' }]);
  expect(await attention()).toBe(false);
  for (const [way, open] of Object.entries(ways))
    await until(async () => (await open()) === 'open', `${way} opens again`);
  running.type('exit\r');
  await running.message('closed');
  await until(async () => {
    const { body } = await administrator.get<Json>(`terminal/sessions/${session}/`);
    return body.can_replay === true && body.command_amount === 2;
  }, 'recording and commands are complete');
});
