import { chmod, cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { declareRestore } from '../../features/audits/index.ts';
import { sql } from '../../platform/db/sql.ts';
import { EXPIRED, makeCertificates, NOT_YET_VALID } from '../../testing/certificates.ts';
import type { Client } from '../../testing/client.ts';
import { executeOperatorCommand, runOperatorCommand } from '../../testing/operator-command.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { examine } from './doctor.ts';
import type { Finding } from './finding.ts';
import { certificateEnd } from './machine.ts';

let test: TestProgram;
let admin: Client;
let taken: Server;
let takenPort: number;
let stopped: string;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
  stopped = await mkdtemp(join(tmpdir(), 'sallyport-doctor-'));
  taken = createServer();
  await new Promise<void>((settle) => taken.listen(0, '127.0.0.1', settle));
  takenPort = (taken.address() as { port: number }).port;
});
afterAll(async () => {
  taken.close();
  await test.stop();
  await rm(stopped, { recursive: true, force: true });
});

const environmentOf = () => ({
  SALLYPORT_HTTP_PORT: new URL(test.program.url).port,
  SALLYPORT_DATABASE_URL: test.databaseUrl,
  SALLYPORT_DATA_DIR: test.dataDirectory,
});

async function look(environment: Readonly<Record<string, string>> = {}) {
  const { status, findings } = await examine({ ...environmentOf(), ...environment }, []);
  // Every warning and problem has a fix.
  for (const finding of findings)
    expect(finding.level === 'ok' || (finding.fix ?? '') !== '', finding.message).toBe(true);
  const of = (check: Finding['check'], level?: Finding['level']) =>
    findings.filter((one) => one.check === check && (level === undefined || one.level === level));
  return { status, findings, of };
}

it('reports nothing worse than a missing backup for a healthy server', async () => {
  const { status, findings, of } = await look();
  expect(findings.filter(({ level }) => level === 'problem')).toEqual([]);
  expect([status, of('backup')[0]?.level]).toEqual([0, 'warning']);
  for (const check of [
    'configuration',
    'node',
    'data-folder',
    'lock',
    'server',
    'database',
    'clock',
    'secret-key',
    'mail',
    'ldap',
  ])
    expect(of(check, 'ok'), check).toHaveLength(1);
  const words = await executeOperatorCommand(test, ['doctor'], environmentOf());
  expect(words.code).toBe(0);
  expect(words.stdout).toMatch(
    /^WARNING {2}backup: No backup was made with this program\n {10}npm run sallyport -- backup /m,
  );
  expect(words.stdout).toMatch(/^ok {7}lock: A server runs \(process \d+\)$/m);
});

it('prints JSON for programs, and returns a status for problems', async () => {
  const { code, stdout } = await runOperatorCommand(test, ['doctor', '--json'], {
    ...environmentOf(),
    SALLYPORT_HTTP_PORT: 'eighty',
  });
  expect(code).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({
    status: 2,
    findings: [{ check: 'configuration', level: 'problem' }],
  });
});

it('reports unreachable services, readable keys and expired certificates', async () => {
  const store = async (body: Record<string, unknown>) =>
    expect(await admin.put('settings/setting/', body)).toMatchObject({ status: 200 });
  await store({
    email: { EMAIL_HOST: '127.0.0.1', EMAIL_PORT: '1', EMAIL_HOST_USER: 'robot@example.com' },
  });
  await store({
    ldap: {
      AUTH_LDAP: true,
      AUTH_LDAP_SERVER_URI: 'ldap://127.0.0.1:1',
      AUTH_LDAP_SEARCH_OU: 'ou=people',
      AUTH_LDAP_SEARCH_FILTER: '(uid=%(user)s)',
      AUTH_LDAP_USER_ATTR_MAP: { username: 'uid', name: 'cn', email: 'mail' },
    },
  });
  const bucket = {
    name: 'far',
    type: 's3',
    bucket: 'b',
    endpoint: 'http://127.0.0.1:1',
    access_key: 'a',
    secret_key: 'qzx-secret',
  };
  expect((await admin.post('terminal/replay-storages/', bucket)).status).toBe(201);
  const { authority } = await makeCertificates(stopped);
  const key = join(test.dataDirectory, 'secret.key');
  await chmod(key, 0o644);
  const { status, findings, of } = await look({ SALLYPORT_LDAP_CA_FILE: authority }).finally(() =>
    chmod(key, 0o600),
  );
  expect(status).toBe(2);
  expect(of('permissions', 'problem')).toMatchObject([{ fix: `chmod 600 ${key}` }]);
  expect(of('certificates', 'warning')).toMatchObject([
    { message: expect.stringContaining('Test authority') },
  ]);
  const old = certificateEnd(
    'ca.pem',
    {
      subject: 'CN=Old',
      validFrom: 'Jan 31 08:00:00 2019 GMT',
      validTo: 'Jan 31 08:00:00 2020 GMT',
    },
    'renew it',
  );
  expect(old).toMatchObject({
    level: 'problem',
    message: 'The certificate CN=Old of ca.pem expired on Jan 31 08:00:00 2020 GMT',
  });

  // Each file of certificates is read, and one of a wrong clock is named.
  const files = await Promise.all(
    [EXPIRED, NOT_YET_VALID].map(async (days, index) => {
      const folder = join(stopped, `certificates-${index}`);
      await mkdir(folder);
      return makeCertificates(folder, 'DNS:db.example.com', days);
    }),
  );
  const [expired, early] = files.map(({ certificate }) => certificate);
  for (const [file = '', text] of [
    [expired, 'expired on'],
    [early, 'is not valid before'],
  ] as const) {
    const { of: at } = await look({
      SALLYPORT_SQL_CERTIFICATE_FILE: file,
      SALLYPORT_SQL_KEY_FILE: file.replace('.pem', '.key'),
    });
    expect(at('certificates', 'problem')).toMatchObject([
      {
        message: expect.stringContaining(text),
        fix: expect.stringContaining('SALLYPORT_SQL_CERTIFICATE_FILE'),
      },
    ]);
  }

  const again = await look();
  for (const check of ['mail', 'ldap', 'recording-storages'])
    expect(again.of(check, 'problem'), check).toMatchObject([
      { message: expect.stringContaining('ECONNREFUSED') },
    ]);
  expect(JSON.stringify([findings, again.findings])).not.toContain('qzx-secret');
});

it('reports problems of configuration, key and database', async () => {
  expect((await look({ SALLYPORT_HTTP_PORT: 'eighty' })).findings).toMatchObject([
    {
      check: 'configuration',
      level: 'problem',
      message: expect.stringContaining('SALLYPORT_HTTP_PORT'),
    },
  ]);
  expect(
    (await look({ SALLYPORT_SECRET_KEY: 'ab'.repeat(32) })).of('secret-key', 'problem'),
  ).toHaveLength(1);
  const secret = 'postgresql://somebody:qzx9secret@127.0.0.1:1/none';
  const { status, of, findings } = await look({ SALLYPORT_DATABASE_URL: secret });
  expect([status, of('database', 'problem').length]).toEqual([2, 1]);
  expect(JSON.stringify(findings)).not.toContain('qzx9secret');
  expect((await look({ SALLYPORT_HTTP_PORT: '1' })).of('server', 'problem')).toMatchObject([
    { message: expect.stringContaining('does not answer') },
  ]);
});

it('works without a server: stale lock, taken port, no folder, no key', async () => {
  await writeFile(join(stopped, 'sallyport.lock'), '999999999 1\n');
  const environment = {
    SALLYPORT_DATA_DIR: stopped,
    SALLYPORT_HTTP_PORT: String(takenPort),
    SALLYPORT_SSH_PORT: '0',
  };
  const left = await look(environment);
  expect(left.of('lock', 'warning')).toHaveLength(1);
  expect(left.of('ports', 'problem')).toMatchObject([
    { message: `Another program has 127.0.0.1:${takenPort}` },
  ]);
  expect(left.of('secret-key', 'problem')).toMatchObject([
    { message: 'The secret key is missing' },
  ]);
  expect(
    (await look({ ...environment, SALLYPORT_DATA_DIR: join(stopped, 'none') })).of(
      'data-folder',
      'problem',
    ),
  ).toHaveLength(1);
});

it('reports a data folder that takes no new files', async () => {
  expect((await look()).of('disk-writing', 'ok')).toHaveLength(1);
  const recordings = join(test.dataDirectory, 'recordings');
  await rename(recordings, `${recordings}.away`);
  const result = await look().finally(() => rename(`${recordings}.away`, recordings));
  expect(result.of('disk-writing')).toMatchObject([
    { level: 'problem', message: expect.stringContaining('lacks a folder of the server') },
  ]);
});

it('reports an unreachable server, the limit of open files, and a missing reserve', async () => {
  await sql`insert into server (id, host, port) values ('silent', '127.0.0.1', 1)`.execute(test.db);
  await admin.patch('settings/setting/', { TERMINAL_RECORDING_DISK_RESERVE: 1_000_000 });
  const result = await look();
  await admin.patch('settings/setting/', { TERMINAL_RECORDING_DISK_RESERVE: 512 });
  await sql`delete from server where id = 'silent'`.execute(test.db);
  expect(result.of('peers')).toMatchObject([
    {
      level: 'problem',
      message: expect.stringContaining('The server silent at 127.0.0.1:1 cannot be reached'),
    },
  ]);
  expect(result.of('disk-reserve', 'problem')).toHaveLength(1);
  expect(result.of('open-files')).toMatchObject([
    {
      message: expect.stringMatching(
        /^The server may open \d+ files, enough for about \d+ sessions$/,
      ),
    },
  ]);
});

it('names a server with the identity of a stopped folder, and a running one that lost its identity', async () => {
  const copy = join(stopped, 'copy');
  await cp(test.dataDirectory, copy, {
    recursive: true,
    // Files that the running server writes and renames can vanish while they are copied.
    filter: (path) => !/sallyport\.lock$|\.new$|\.probe-|audit-heads/.test(path),
  });
  const alone = { SALLYPORT_DATA_DIR: copy, SALLYPORT_HTTP_PORT: '0', SALLYPORT_SSH_PORT: '0' };
  expect((await look(alone)).of('identity')).toMatchObject([
    {
      level: 'problem',
      message: expect.stringMatching(/^The server at \S+:\d+ has the identity of this data folder/),
      fix: expect.stringContaining('server new-identity'),
    },
  ]);
  await writeFile(join(copy, 'server.id'), `${crypto.randomUUID()}\n`);
  expect((await look(alone)).of('identity')).toMatchObject([{ level: 'ok' }]);

  const identity = async () => {
    const { body } = await test.visitor.get<{ dependencies: { identity: { status: string } } }>(
      '/api/health/',
    );
    return body.dependencies.identity.status;
  };
  const { rows } = await sql<{ id: string; instance: string }>`
    select id, instance from server`.execute(test.db);
  await sql`update server set instance = 'of a clone'`.execute(test.db);
  await until(async () => (await identity()) === 'down', 'the health says so');
  expect((await look()).of('identity')).toMatchObject([
    { level: 'problem', message: expect.stringContaining('has taken over the identity') },
  ]);
  await sql`update server set instance = ${rows[0]?.instance ?? ''}`.execute(test.db);
  await until(async () => (await identity()) === 'up', 'the identity is back');
});

it('tells declared restores and early digests, and finds declarations that the server did not seal', async () => {
  expect((await look()).findings.map(({ check }) => check)).not.toContain('restores');
  const client = await test.program.database.pool.connect();
  await declareRestore(client, { backup: '2026-11-20T01:00:00.000Z', droppedEvents: 0 });
  client.release();
  const declared = [crypto.randomUUID(), [7, 9]] as const;
  const seal = test.program.vault.sign(JSON.stringify(declared), 'session_repair');
  await sql`insert into session_repair (session, sequences, seal)
    values (${declared[0]}, ${declared[1]}::bigint[], ${seal})`.execute(test.db);
  const { of } = await look();
  expect(of('restores')).toMatchObject([
    {
      level: 'ok',
      message: expect.stringMatching(/\(1\): .* to the backup of 2026-11-20T01:00:00\.000Z$/),
    },
  ]);
  expect(of('repairs')).toMatchObject([{ level: 'ok', message: expect.stringMatching(/: 2$/) }]);
  await sql`insert into session_repair (session, sequences, seal)
    values (${crypto.randomUUID()}, ${[11]}::bigint[], ${seal})`.execute(test.db);
  expect((await look()).of('repairs', 'problem')).toMatchObject([
    { message: expect.stringMatching(/without a seal of this installation: 1\./) },
  ]);
});

it('warns of recordings that several servers keep on their own disks, until they have a bucket', async () => {
  expect((await look()).of('recording-storages', 'warning')).toEqual([]);
  const second = await startTestProgram({
    databaseUrl: test.databaseUrl,
    secretKey: (await readFile(join(test.dataDirectory, 'secret.key'), 'utf8')).trim(),
  });
  try {
    const terminals = (await admin.get<{ id: string; name: string }[]>('terminal/terminals/')).body;
    expect(terminals).toHaveLength(2);
    const warned = async () => (await look()).of('recording-storages', 'warning');
    const [{ message } = { message: '' }, ...more] = await warned();
    expect(more).toEqual([]);
    for (const { name } of terminals) expect(message).toContain(name);
    // Keeping no recordings is a choice, too.
    for (const { id } of terminals)
      await admin.patch(`terminal/terminals/${id}/`, { replay_storage: 'null' });
    expect(await warned()).toEqual([]);
    for (const { id } of terminals)
      await admin.patch(`terminal/terminals/${id}/`, { replay_storage: 'default' });
  } finally {
    await second.stop();
  }
});
