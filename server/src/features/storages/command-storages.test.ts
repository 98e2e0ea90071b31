import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildOrganization, buildUser, unique } from '../../testing/builders.ts';
import { makeCertificates } from '../../testing/certificates.ts';
import type { Client, Json } from '../../testing/client.ts';
import { runHousekeeping, withoutSchedule } from '../../testing/jobs.ts';
import { until } from '../../testing/poll.ts';
import { signInMember } from '../../testing/roles.ts';
import { type ElasticServer, startElastic } from '../../testing/services/elastic-server.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import type { Verdicts } from '../audits/verification.ts';
import { createSessionRows, removeFinishedSessions } from '../sessions/index.ts';

// Without Elasticsearch or OpenSearch here, these tests use `services/elastic-server.ts`, which
// implements their protocol.
let test: TestProgram;
let admin: Client;
let elastic: ElasticServer;
let holder: string;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
  // The tests run the job themselves, so that they can see the state before.
  await withoutSchedule(test, 'move-commands');
  elastic = await startElastic();
  holder =
    (await sql<{ holder: string }>`select holder from terminal`.execute(test.db)).rows[0]?.holder ??
    '';
});
afterAll(async () => {
  await test.stop();
  await elastic.stop();
});

const STORAGES = 'terminal/command-storages/';
const cluster = (server = elastic) => ({
  name: unique('es'),
  type: 'es',
  hosts: server.url,
  index: unique('commands').toLowerCase(),
  username: server.username,
  password: server.password,
});
const terminal = async () => (await admin.get<Json[]>('terminal/terminals/')).body[0] as Json;
const choose = async (name: unknown) =>
  expect(
    (await admin.patch(`terminal/terminals/${(await terminal()).id}/`, { command_storage: name }))
      .status,
  ).toBe(200);
async function storage(change: object = {}): Promise<Json> {
  const created = await admin.post<Json>(STORAGES, { ...cluster(), ...change });
  expect([created.status, created.text]).toEqual([201, expect.stringContaining('hosts')]);
  return created.body;
}
/** Runs the job again and again until a condition holds. */
const moved = (isSo: () => Promise<boolean>, what: string) =>
  until(async () => {
    await runHousekeeping(test, 'move-commands');
    return isSo();
  }, what);
const waiting = async ({ id }: Json) =>
  Number((await admin.get<Json>(`${STORAGES}${id}/`)).body.waiting);

/** A session with commands of [input, output, whether it was rejected]. */
async function session(
  commands: readonly (readonly [string, string, boolean?])[],
  organizationId = '',
) {
  const rows = createSessionRows(test.db, holder);
  const id = crypto.randomUUID();
  const names = {
    user: 'Li Wei(li.wei)',
    asset: 'web-01',
    systemUser: 'deploy',
    userId: '',
    assetId: '',
    systemUserId: '',
  };
  await rows.create({
    ...names,
    id,
    organizationId,
    loginFrom: 'WT',
    remoteAddress: null,
    protocol: 'ssh',
    secondFactor: 'none',
    dateStart: new Date(),
  });
  await rows.addCommands(
    id,
    commands.map(([input, output, isRefused = false], at) => ({
      sequence: at + 1,
      input,
      output,
      at: at * 1000,
      isRefused,
    })),
  );
  return {
    id,
    end: () =>
      rows.finish(id, {
        dateEnd: new Date(),
        reason: 'session_finished',
        success: true,
        replayState: 'none',
      }),
  };
}
const inputs = async (query: string, client = admin) =>
  (await client.get<Json[]>(`terminal/commands/?order=sequence&${query}`)).body.map(
    ({ input }) => input,
  );
const inDatabase = async (id: string) =>
  (
    await sql<Json>`select input, output, search_text from command
      where session = ${id} order by sequence`.execute(test.db)
  ).rows;

describe('a command storage', () => {
  it('accepts and changes settings in meta, as established clients send them', async () => {
    const { hosts, index } = cluster();
    const common = { name: unique('meta'), type: 'es', comment: '' };
    const created = await admin.post<Json>(STORAGES, {
      ...common,
      meta: { es_hosts: [hosts], es_index: index, es_doc_type: 'command' },
    });
    expect(created).toMatchObject({
      status: 201,
      body: { hosts, index, doc_type: 'command', meta: { HOSTS: [hosts], INDEX: index } },
    });
    const path = `${STORAGES}${created.body.id}/`;
    const changed = await admin.put<Json>(path, {
      ...common,
      meta: {
        HOSTS: [hosts, 'https://es-2.example.com:9200'],
        INDEX: `${index}-2`,
        DOC_TYPE: 'command',
      },
    });
    expect(changed).toMatchObject({
      status: 200,
      body: { hosts: `${hosts},https://es-2.example.com:9200`, index: `${index}-2` },
    });
    const read = (await admin.get<Json>(path)).body;
    expect(await admin.put(path, { ...read, comment: 'as it was' })).toMatchObject({
      status: 200,
      body: { index: `${index}-2`, comment: 'as it was' },
    });
    for (const [meta, field] of [
      [{ es_hosts: ['ftp://es'] }, 'meta.es_hosts'],
      [{ es_index: 'Not An Index' }, 'meta.es_index'],
      [{ es_shards: 3 }, 'meta.es_shards'],
    ] as const) {
      const refused = await admin.patch<Json>(path, { meta });
      expect([refused.status, Object.keys(refused.body)]).toEqual([400, [field]]);
    }
  });

  it('creates, reads, changes, tests and deletes a storage; hides the password, and keeps it if the new one is blank', async () => {
    const settings = cluster();
    const created = await admin.post<Json>(STORAGES, { ...settings, doc_type: 'command' });
    expect([created.status, created.text.includes(elastic.password)]).toEqual([201, false]);
    const path = `${STORAGES}${created.body.id}/`;
    expect((await admin.get<Json>(path)).body).toMatchObject({
      type: 'es',
      meta: { HOSTS: [elastic.url], INDEX: settings.index, DOC_TYPE: 'command' },
      waiting: 0,
    });
    expect((await admin.put(path, { ...settings, password: '', comment: 'rack 4' })).status).toBe(
      200,
    );
    expect((await admin.get<Json>(`${path}test-connective/`)).body).toMatchObject({
      is_valid: true,
    });
    expect(elastic.indexes.get(settings.index)?.size).toBe(0);
    const { rows } = await sql<{
      password: string;
    }>`select password from command_storage where id = ${created.body.id}`.execute(test.db);
    expect(rows[0]?.password).toMatch(/^v2\$/);
    expect((await admin.delete(path)).status).toBe(204);
    for (const name of ['default', 'null']) {
      const [row] = (await admin.get<Json[]>(`${STORAGES}?name=${name}`)).body;
      expect((await admin.get<Json>(`${STORAGES}${row?.id}/test-connective/`)).body).toMatchObject({
        is_valid: true,
      });
      expect((await admin.patch(`${STORAGES}${row?.id}/`, { comment: 'x' })).status).toBe(403);
      expect((await admin.delete(`${STORAGES}${row?.id}/`)).status).toBe(403);
    }
    for (const [role, read] of [
      ['Auditor', 200],
      ['User', 403],
    ] as const) {
      const client = await bearer(test, await buildUser(test.db, { role }));
      expect([
        (await client.get(STORAGES)).status,
        (await client.get(`${path}test-connective/`)).status,
      ]).toEqual([read, 403]);
    }
  });

  it('reports why a storage fails its test, and rejects invalid addresses and indexes on their field', async () => {
    const tried = async (change: object) =>
      (await admin.get<Json>(`${STORAGES}${(await storage(change)).id}/test-connective/`)).body;
    expect(await tried({ hosts: 'http://127.0.0.1:1' })).toMatchObject({
      is_valid: false,
      msg: expect.stringContaining('ECONNREFUSED'),
    });
    const refused = await tried({ password: 'not the password' });
    expect(refused).toMatchObject({
      is_valid: false,
      msg: expect.stringContaining('401 security_exception'),
    });
    expect(JSON.stringify(refused)).not.toContain('not the password');
    // Skips a node that does not answer, and retries an overloaded one.
    expect(await tried({ hosts: `http://127.0.0.1:1, ${elastic.url}` })).toMatchObject({
      is_valid: true,
    });
    elastic.failures.push(429, 503);
    expect(await tried({})).toMatchObject({ is_valid: true });
    const old = await startElastic({ version: '6.8.23' });
    expect(await tried({ hosts: old.url })).toMatchObject({
      is_valid: false,
      msg: expect.stringContaining('too old'),
    });
    await old.stop();
    const other = await startElastic({
      product: 'opensearch',
      version: '2.15.0',
      existing: { ours: {}, theirs: { org_id: { type: 'text' } } },
    });
    expect(await tried({ hosts: other.url, index: 'ours' })).toMatchObject({ is_valid: true });
    expect(await tried({ hosts: other.url, index: 'theirs' })).toMatchObject({
      is_valid: false,
      msg: expect.stringContaining('illegal_argument'),
    });
    await other.stop();
    for (const [change, field] of [
      [{ hosts: '' }, 'hosts'],
      [{ hosts: 'es.example.com' }, 'hosts'],
      [{ hosts: 'https://elastic:changeme@es.example.com:9200' }, 'hosts'],
      [{ index: '' }, 'index'],
      [{ index: '../_all' }, 'index'],
      [{ index: 'Commands*' }, 'index'],
      [{ type: 'null' }, 'type'],
      [{ ca_certificate: 'no certificate' }, 'ca_certificate'],
    ] as const) {
      const answer = await admin.post<Json>(STORAGES, { ...cluster(), ...change });
      expect([answer.status, Object.keys(answer.body)]).toEqual([400, [field]]);
    }
  });

  it('connects by TLS only if the public or the given authority has signed the certificate', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sallyport-elastic-'));
    const { authority, certificate, key } = await makeCertificates(folder);
    const secure = await startElastic({
      tls: { key: readFileSync(key, 'utf8'), cert: readFileSync(certificate, 'utf8') },
    });
    const tried = async (change: object) =>
      (
        await admin.get<Json>(
          `${STORAGES}${(await storage({ hosts: secure.url, ...change })).id}/test-connective/`,
        )
      ).body;
    expect(await tried({})).toMatchObject({
      is_valid: false,
      msg: expect.stringMatching(/certificate/),
    });
    expect(secure.requests).toEqual([]);
    expect(await tried({ ca_certificate: readFileSync(authority, 'utf8') })).toMatchObject({
      is_valid: true,
    });
    await secure.stop();
    rmSync(folder, { recursive: true });
  });
});

it('moves commands to Elasticsearch, and lists, searches, reports and verifies them as before', async () => {
  const own = await storage();
  await choose(own.name);
  const word = unique('needle').toLowerCase();
  const running = await session([
    [`echo ${word} 100%_sure*?`, 'first output'],
    [`REBOOT ${word}`, 'No.', true],
    ['uptime', 'up 3 days'],
  ]);
  expect(await waiting(own)).toBe(3);
  await moved(async () => (await waiting(own)) === 0, 'the commands are in Elasticsearch');
  expect(await inDatabase(running.id)).toEqual(
    Array.from({ length: 3 }, () => ({ input: '', output: '', search_text: '' })),
  );
  expect([...(elastic.indexes.get(String(own.index))?.values() ?? [])]).toContainEqual(
    expect.objectContaining({
      session: running.id,
      org_id: '',
      user: 'Li Wei(li.wei)',
      input: 'uptime',
      output: 'up 3 days',
      risk_level: 0,
    }),
  );
  await running.end();
  const all = [`echo ${word} 100%_sure*?`, `REBOOT ${word}`, 'uptime'];
  expect(await inputs(`session_id=${running.id}`)).toEqual(all);
  const [first] = (
    await admin.get<Json[]>(`terminal/commands/?session_id=${running.id}&order=sequence`)
  ).body;
  expect((await admin.get<Json>(`terminal/commands/${first?.id}/`)).body).toMatchObject({
    input: all[0],
    output: 'first output',
  });
  // Search, filters and pages work as in the database.
  expect(await inputs(`search=${word}`)).toEqual(all.slice(0, 2));
  expect(await inputs(`search=${word} reboot`)).toEqual([all[1]]);
  expect(
    await inputs(`input=${encodeURIComponent('100%_SURE*?')}&session_id=${running.id}`),
  ).toEqual([all[0]]);
  expect(await inputs(`search=${word}&risk_level=5`)).toEqual([all[1]]);
  expect(await inputs(`search=${word}&date_to=2020-01-01 00:00:00`)).toEqual([]);
  expect(
    (await admin.get<Json>(`terminal/commands/?search=${word}&limit=1&offset=1&order=sequence`))
      .body,
  ).toMatchObject({
    count: 2,
    results: [{ input: all[1] }],
  });
  expect(
    (await admin.get<{ results: Json[] }>(`search/?q=${word}&kind=command`)).body.results,
  ).toHaveLength(2);
  expect(
    (
      await admin.get<{ entries: Json[] }>(`terminal/sessions/${running.id}/timeline/`)
    ).body.entries.map(({ text }) => text),
  ).toEqual(all);
  expect((await admin.get(`terminal/commands/report/?session_id=${running.id}`)).text).toContain(
    'up 3 days',
  );
  expect(
    (await admin.get(`terminal/commands/?format=csv&session_id=${running.id}`)).text,
  ).toContain(`REBOOT ${word}`);
  expect((await admin.get<Json>(`terminal/sessions/${running.id}/`)).body).toMatchObject({
    command_amount: 3,
    risk_level: 5,
    commands_denied: 1,
    commands_not_kept: 0,
  });
  // Commands from before the move are found together with the moved ones.
  await choose('default');
  const later = await session([[`ls ${word}`, '']]);
  await later.end();
  expect((await inputs(`search=${word}`)).sort()).toEqual(
    [...all.slice(0, 2), `ls ${word}`].sort(),
  );
  expect((await admin.post<Verdicts>('audits/verify/')).body.sessions).toMatchObject({ wrong: 0 });
  const path = `${STORAGES}${own.id}/`;
  expect(Object.keys((await admin.patch<Json>(path, { index: 'another' })).body)).toEqual([
    'index',
  ]);
  expect((await admin.delete(path)).status).toBe(409);
  // Verification detects changes and deletions in Elasticsearch.
  elastic.change(String(own.index), String(first?.id), {
    ...elastic.indexes.get(String(own.index))?.get(String(first?.id)),
    input: 'ls',
  });
  expect((await admin.post<Verdicts>('audits/verify/')).body.sessions.broken).toEqual([
    { session: running.id, problem: 'session_changed' },
  ]);
});

it('limits a search to the organization of the caller, whatever Elasticsearch contains', async () => {
  const own = await storage();
  await choose(own.name);
  const word = unique('secret').toLowerCase();
  const organization = await buildOrganization(test.db);
  const there = await session([[`echo ${word}`, 'theirs']], organization);
  await session([[`echo ${word}`, 'ours']]);
  await moved(async () => (await waiting(own)) === 0, 'the commands are in Elasticsearch');
  const member = await signInMember(test, organization);
  expect(
    (await member.get<Json[]>(`terminal/commands/?search=${word}`)).body.map(
      ({ output }) => output,
    ),
  ).toEqual(['theirs']);
  expect(
    (await admin.get<Json[]>(`terminal/commands/?search=${word}`)).body.map(({ output }) => output),
  ).toEqual(['ours']);
  expect(
    (
      await admin.get<Json[]>(
        `terminal/commands/?search=${word}&org_id=${organization}&session_id=${there.id}`,
      )
    ).body,
  ).toEqual([]);
  // Also when a document claims to belong to another organization.
  const documents = elastic.indexes.get(String(own.index)) ?? new Map();
  for (const [id, document] of documents)
    elastic.change(String(own.index), id, { ...document, org_id: '' });
  expect(
    (await admin.get<Json[]>(`terminal/commands/?search=${word}`)).body.map(({ output }) => output),
  ).toEqual(['ours']);
  await choose('default');
});

it('keeps commands while Elasticsearch is unreachable, reports the problem, and moves them once it is back', async () => {
  const server = await startElastic();
  const own = await storage(cluster(server));
  await choose(own.name);
  const kept = await session([['from before', 'old']]);
  await moved(async () => (await waiting(own)) === 0, 'the first command is in Elasticsearch');
  await server.stop();
  const lost = await session([['still here', 'new']]);
  await moved(
    async () => String((await terminal()).command_storage_problem).includes('ECONNREFUSED'),
    'the terminal shows the problem',
  );
  const state = async () =>
    (await test.visitor.get<{ dependencies: Json }>('/api/health/')).body.dependencies
      .command_storage;
  await until(
    async () => JSON.stringify(await state()) === '{"status":"down"}',
    'the health shows the problem',
  );
  expect((await test.visitor.get('/api/health/')).status).toBe(200);
  expect(await inputs(`session_id=${lost.id}`)).toEqual(['still here']);
  // Rows are listed without their texts, and a search fails instead of returning incomplete
  // results.
  expect(await inputs(`session_id=${kept.id}`)).toEqual([
    `(cannot reach the command storage ${own.name})`,
  ]);
  const search = await admin.get('terminal/commands/?search=before');
  expect([search.status, search.text]).toEqual([
    503,
    expect.stringContaining('cannot be searched'),
  ]);
  await kept.end();
  expect((await admin.post<Verdicts>('audits/verify/')).body.sessions.broken).toContainEqual({
    session: kept.id,
    problem: 'commands_unreadable',
  });
  // A new server on the old port rejects one command, which waits. The others move.
  const back = await startElastic({ port: server.port });
  const [{ id: refused = '' } = {}] = (
    await sql<{ id: string }>`select id from command where session = ${lost.id}`.execute(test.db)
  ).rows;
  back.refused.add(refused);
  const next = await session([['goes on', '']]);
  await moved(
    async () =>
      (await waiting(own)) === 1 &&
      String((await terminal()).command_storage_problem).includes('not taken'),
    'one command is left',
  );
  expect([(await inDatabase(lost.id))[0]?.input, (await inDatabase(next.id))[0]?.input]).toEqual([
    'still here',
    '',
  ]);
  back.refused.clear();
  await moved(
    async () => (await waiting(own)) === 0 && (await terminal()).command_storage_problem === '',
    'everything is in Elasticsearch',
  );
  expect(await inputs(`session_id=${lost.id}`)).toEqual(['still here']);
  await until(
    async () => JSON.stringify(await state()) === '{"status":"up"}',
    'the problem is over',
  );
  await choose('default');
  await back.stop();
});

it('stores each command once after a crash, and retention deletes it in Elasticsearch', async () => {
  const own = await storage();
  await choose(own.name);
  const many = Array.from({ length: 600 }, (_, number): [string, string] => [
    `command ${number}`,
    '',
  ]);
  const old = await session(many);
  await moved(async () => (await waiting(own)) === 0, 'the commands are in Elasticsearch');
  const documents = () => elastic.indexes.get(String(own.index))?.size ?? 0;
  expect(documents()).toBe(600);
  // As after a crash before the confirmation was stored.
  await sql`update command set queued_for = stored_in, stored_in = null, input = 'command again'
    where session = ${old.id}`.execute(test.db);
  await moved(async () => (await waiting(own)) === 0, 'the commands are in Elasticsearch again');
  expect(documents()).toBe(600);
  await sql`update session set is_finished = true, date_start = now() - interval '90 days'
    where id = ${old.id}`.execute(test.db);
  const young = await session([['stays', '']]);
  expect(await removeFinishedSessions(test.db, 60)).toBe(1);
  await moved(async () => documents() === 1, 'only the young command is in Elasticsearch');
  expect(await inputs(`session_id=${young.id}`)).toEqual(['stays']);
  expect((await sql`select from command_removal`.execute(test.db)).rows).toEqual([]);
  await choose('default');
});

it('counts commands and denials of a terminal that keeps no commands, including the risk of the session', async () => {
  await choose('null');
  const { id, end } = await session([
    ['uptime', ''],
    ['reboot', 'No.', true],
  ]);
  await end();
  expect(await inputs(`session_id=${id}`)).toEqual([]);
  expect((await admin.get<Json>(`terminal/sessions/${id}/`)).body).toMatchObject({
    risk_level: 5,
    command_amount: 0,
    commands_not_kept: 2,
    commands_denied: 1,
  });
  await choose('default');
});
