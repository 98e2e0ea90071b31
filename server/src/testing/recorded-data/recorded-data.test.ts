import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Verdicts } from '../../features/audits/verification.ts';
import { embeddedUrl } from '../../platform/db/embedded.ts';
import { createLog } from '../../platform/log.ts';
import { type Program, startProgram } from '../../program.ts';
import { Client, type Json, type Page } from '../client.ts';
import { runOperatorCommandIn } from '../operator-command.ts';
import { removeFolder } from '../remove-folder.ts';
import { schemaOf } from '../schema-of.ts';
import { createTestDatabase } from '../test-database.ts';
import { testConfig } from '../test-program.ts';
import type { RecordedFacts } from './facts.ts';
import { recordedCommits, unpackDataFolder } from './unpack.ts';

describe.each(recordedCommits())('the current program on the data folder of %s', (commit) => {
  let facts: RecordedFacts;
  let folder: string;
  let program: Program;
  let admin: Client;
  beforeAll(async () => {
    facts = JSON.parse(await readFile(join(import.meta.dirname, `${commit}.json`), 'utf8'));
    folder = await unpackDataFolder(commit);
    program = await startProgram(testConfig(folder), createLog('silent'));
    admin = await signIn(facts.admin);
  });
  afterAll(async () => {
    await program?.stop();
    if (folder) await removeFolder(folder);
  });

  async function signIn(credentials: { readonly username: string; readonly password: string }) {
    const visitor = new Client(program.url);
    const { status, body } = await visitor.post<{ token: string }>(
      'authentication/auth/',
      credentials,
    );
    expect(status).toBe(201);
    return visitor.with({ authorization: `Bearer ${body.token}` });
  }
  const listed = async (path: string) => {
    const { status, body, text } = await admin.get<Page>(`${path}?limit=100`);
    expect(status, `${path} ${text}`).toBe(200);
    return body.results;
  };

  it('verifies every session, recording and log over HTTP and on the command line', async () => {
    const { status, body } = await admin.post<Verdicts>('audits/verify/');
    expect(status).toBe(200);
    const { sessions, transfers = [] } = facts;
    const checked = sessions.length + transfers.length;
    expect(body.sessions).toMatchObject({ checked, wrong: 0, broken: [] });
    expect(body.logs.filter(({ first_break: broken }) => broken !== null)).toEqual([]);
    expect(body.intact).toBe(true);
    const { code, stdout } = await runOperatorCommandIn(folder, ['audit', 'verify']);
    expect([code, stdout]).toEqual([0, expect.not.stringContaining('CHANGED')]);
  });

  it('has undamaged tables and indexes', async () => {
    const client = new pg.Client({ connectionString: embeddedUrl(folder, 'setup') });
    await client.connect();
    try {
      await client.query('create extension amcheck');
      const { rows } = await client.query<{ object: string; found: string }>(`
        select c.oid::regclass::text as object, found.msg as found
        from pg_class c
          join pg_namespace n on n.oid = relnamespace and nspname in ('public', 'jobs')
          cross join lateral verify_heapam(c.oid) found
        where relkind = 'r'`);
      expect(rows).toEqual([]);
      // These raise an error for a damaged index.
      const { rows: checked } = await client.query<{ kind: string; count: number }>(`
        select amname as kind, count(case amname
            when 'btree' then bt_index_parent_check(c.oid, true, true)::text
            when 'gin' then gin_index_check(c.oid)::text end)::int as count
        from pg_class c
          join pg_am a on a.oid = relam and amname in ('btree', 'gin')
          join pg_namespace n on n.oid = relnamespace and nspname in ('public', 'jobs')
        where relkind = 'i' group by amname order by amname`);
      expect(checked.map(({ kind }) => kind)).toEqual(['btree', 'gin']);
    } finally {
      await client.query('drop extension if exists amcheck');
      await client.end();
    }
  });

  it('has the schema of a new installation', async () => {
    const fresh = await createTestDatabase();
    const client = new pg.Client({ connectionString: fresh.url });
    await client.connect();
    try {
      expect(await schemaOf(program.database.pool)).toEqual(await schemaOf(client));
    } finally {
      await client.end();
      await fresh.drop();
    }
  });

  it('signs in the recorded member with the recorded password', async () => {
    const { body } = await (await signIn(facts.member)).get('users/profile/');
    expect(body.username).toBe(facts.member.username);
  });

  it('lists every session with its commands, and replays it', async () => {
    const ids = (await listed('terminal/sessions/')).map(({ id }) => id);
    const recorded = [...facts.sessions, ...(facts.transfers ?? [])].map(({ id }) => id);
    expect(ids.toSorted()).toEqual(recorded.toSorted());
    for (const { id, commands } of facts.sessions) {
      const { body } = await admin.get<Page>(`terminal/commands/?session_id=${id}&limit=100`);
      const inputs = body.results.map(({ input }) => input);
      expect(inputs.toSorted()).toEqual(commands.toSorted());
      expect((await admin.get(`terminal/sessions/${id}/replay/`)).status).toBe(200);
      const output = await recordingOf(id);
      for (const command of commands) {
        const [, words] = /^echo (.*)$/.exec(command) ?? [];
        if (words !== undefined) expect(output).toContain(words);
      }
    }
  });

  it('lists every upload with its digest', async () => {
    const logs = await listed('audits/ftp-logs/');
    for (const { name } of facts.transfers ?? [])
      expect(logs.filter(({ filename }) => String(filename).endsWith(`/${name}`))).toEqual([
        expect.objectContaining({
          is_success: true,
          sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        }),
      ]);
  });

  /** Returns the terminal output of a recorded session. */
  async function recordingOf(id: string): Promise<string> {
    const address = new URL(`/api/v1/terminal/sessions/${id}/replay/file/`, program.url);
    const answer = await fetch(address, { headers: { ...admin.headers } });
    expect(answer.status).toBe(200);
    const bytes = Buffer.from(await answer.arrayBuffer());
    const text = (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString('utf8');
    const events = text.split('\n').filter((line) => line.startsWith('['));
    return events.map((line) => (JSON.parse(line) as [number, string, string])[2]).join('');
  }

  const expectSecrets = async () => {
    for (const { id, password, private_key } of facts.systemUsers) {
      const { body } = await admin.get<Json>(`assets/system-users/${id}/auth-info/`);
      expect(body).toMatchObject({
        password,
        private_key: private_key.trim() === '' ? '' : expect.stringContaining(private_key.trim()),
      });
    }
  };
  it('opens the sealed secrets', expectSecrets);

  it('lists assets, permissions, users and every log', async () => {
    for (const path of ['assets/assets/', 'perms/asset-permissions/', 'users/users/'])
      expect(await listed(path)).not.toEqual([]);
    for (const log of ['operate-logs', 'login-logs', 'password-change-logs'])
      expect(await listed(`audits/${log}/`)).not.toEqual([]);
  });

  it('rotates the key that sealed values directly, and proves the logs that it signed', async () => {
    expect(await runOperatorCommandIn(folder, ['key', 'rotate'])).toMatchObject({ code: 0 });
    await expectSecrets();
    const { rows } = await program.database.pool.query(
      "select from system_account where password like 'v1$%' or private_key like 'v1$%'",
    );
    expect(rows).toEqual([]);
    expect(await runOperatorCommandIn(folder, ['audit', 'verify'])).toMatchObject({ code: 0 });
  });
});
