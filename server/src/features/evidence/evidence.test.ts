import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { buildUser } from '../../testing/builders.ts';
import { runHousekeeping, withoutSchedule } from '../../testing/jobs.ts';
import { runOperatorCommand } from '../../testing/operator-command.ts';
import {
  startTimestampServer,
  type TimestampServer,
} from '../../testing/services/timestamp-server.ts';
import { bearer } from '../../testing/sign-in.ts';
import { becomeSuperuser } from '../../testing/superuser.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { createAuditChains } from '../audits/index.ts';
import { createSessionRows } from '../sessions/index.ts';

const VERIFIER = resolve(import.meta.dirname, '../../../../scripts/evidence/verify.mjs');
const folder = mkdtempSync(join(tmpdir(), 'sallyport-evidence-'));
const at = (name: string) => join(folder, name);

let service: TimestampServer;
let test: TestProgram;
let session: string;
beforeAll(async () => {
  service = await startTimestampServer();
  writeFileSync(at('ca.pem'), service.authority);
  test = await startTestProgram({ witness: { url: service.url, caFile: at('ca.pem') } });
  for (const job of ['audit-witness', 'audit-seal']) await withoutSchedule(test, job);
  for (let index = 0; index < 3; index++) await bearer(test);
  session = await endedSession();
  await runHousekeeping(test, 'audit-witness');
});
afterAll(async () => {
  await test.stop();
  await service.stop();
  rmSync(folder, { recursive: true });
});

/** An ended session with two commands and a recording. */
async function endedSession(): Promise<string> {
  const { rows: terminals } = await sql<{ holder: string }>`select holder from terminal`.execute(
    test.db,
  );
  const rows = createSessionRows(test.db, terminals[0]?.holder ?? '');
  const id = crypto.randomUUID();
  const startedAt = new Date();
  await rows.create({
    id,
    user: 'Li Wei(li.wei)',
    asset: 'web-01',
    systemUser: 'deploy(deploy)',
    userId: '',
    assetId: '',
    systemUserId: '',
    organizationId: '',
    loginFrom: 'WT',
    remoteAddress: '10.0.0.9',
    protocol: 'ssh',
    secondFactor: 'none',
    dateStart: startedAt,
  });
  await rows.addCommands(id, [
    { sequence: 1, input: 'id', output: 'root', at: 5 },
    { sequence: 2, input: 'rm -rf /srv', output: '', at: 9 },
  ]);
  const recording = await test.program.recordings.add({ id, startedAt }, 'what it showed');
  await rows.finish(id, {
    dateEnd: new Date(),
    reason: 'session_finished',
    success: true,
    replayState: 'finished',
    recording,
  });
  return id;
}

const PERIOD = ['--from=2020-01-01T00:00:00Z', '--to=2100-01-01T00:00:00Z'];
async function exported(name: string, range: readonly string[]): Promise<string> {
  const { code, stderr } = await runOperatorCommand(test, [
    'evidence',
    'export',
    at(name),
    ...range,
  ]);
  expect([code, stderr]).toEqual([0, '']);
  return at(name);
}
const verified = (file: string, ca = at('ca.pem')) =>
  promisify(execFile)(process.execPath, [VERIFIER, file, `--ca=${ca}`], { env: {} }).then(
    ({ stdout }) => ({ code: 0, stdout }),
    ({ code, stdout }: { code: number; stdout: string }) => ({ code, stdout }),
  );

async function asAttacker(...statements: Sql[]): Promise<void> {
  await test.db.transaction(async (tx) => {
    await becomeSuperuser(tx);
    await sql`set local session_replication_role = replica`.execute(tx);
    for (const statement of statements) await statement.execute(tx);
  });
}

it('proves a session with its commands and its recording, with the same bytes each time', async () => {
  const [first, second] = [
    await exported('session-1.tar', [`--session=${session}`]),
    await exported('session-2.tar', [`--session=${session}`]),
  ];
  expect(readFileSync(first).equals(readFileSync(second))).toBe(true);
  const { code, stdout } = await verified(first);
  expect(stdout).toContain('Everything is proven.');
  expect(code).toBe(0);
  const { rows } = await sql`select 1 from operate_log where resource_type = 'audit_log'
    and resource = ${session} and action = 'view'`.execute(test.db);
  expect(rows).toHaveLength(2);
});

it('gives auditors of the installation the evidence of a session, and logs it', async () => {
  const url = `audits/evidence/${session}/`;
  const auditor = await bearer(test, await buildUser(test.db, { role: 'Auditor' }));
  const { status, text } = await auditor.get(url);
  expect(status).toBe(200);
  const file = readFileSync(await exported('compared.tar', [`--session=${session}`]));
  expect(Buffer.byteLength(text)).toBeGreaterThan(file.length / 2);
  const user = await bearer(test, await buildUser(test.db));
  expect((await user.get(url)).status).toBe(403);
  expect((await auditor.get(`audits/evidence/${crypto.randomUUID()}/`)).status).toBe(404);
});

it.each([
  ['command', 'rm -rf /srv', 'ls -la /srv', 'command 2 was changed'],
  ['recording', '\u001f', '\u001e', 'its recording was changed'],
  ['row', '10.0.0.9', '10.0.0.8', 'its row or its commands were changed'],
  ['witness', 'sallyport audit heads 1', 'sallyport audit heads 2', 'the statement was changed'],
])('names a changed %s in a file', async (kind, before, after, problem) => {
  const bytes = readFileSync(await exported(`${kind}.tar`, [`--session=${session}`]));
  const place =
    kind === 'recording'
      ? bytes.indexOf('/recording\0') +
        bytes.subarray(bytes.indexOf('/recording\0')).indexOf(before)
      : bytes.indexOf(before);
  expect(place).toBeGreaterThan(0);
  bytes.write(after, place);
  writeFileSync(at('changed.tar'), bytes);
  const { code, stdout } = await verified(at('changed.tar'));
  expect(stdout).toContain(problem);
  expect(code).toBe(2);
});

it('needs the authority of the verifier, whatever the file contains', async () => {
  const file = await exported('other.tar', [`--session=${session}`]);
  const other = await startTimestampServer();
  writeFileSync(at('other.pem'), other.authority);
  await other.stop();
  const { code, stdout } = await verified(file, at('other.pem'));
  expect([code, stdout.includes('does not lead to the given CA')]).toEqual([2, true]);
});

it('names the witness that a log does not match when an attacker with root, key and database has rewritten and sealed it again', async () => {
  const before = await verified(await exported('before.tar', PERIOD));
  expect(before.stdout).not.toContain('CHANGED');
  // Rows since the token are chained only: those of the export itself, at least.
  expect([before.code, before.stdout.includes('NO WITNESS')]).toEqual([3, true]);
  const { rows } = await sql<{ sequence: number }>`
    select min(sequence) as sequence from login_log`.execute(test.db);
  const victim = rows[0]?.sequence ?? 0;
  await asAttacker(
    sql`update login_log set ip = '10.9.9.9' where sequence = ${victim}`,
    sql`do $$
      declare
        one record;
        previous bytea := '';
      begin
        for one in select * from login_log order by sequence loop
          previous := sha256(previous || convert_to(audit_text(to_jsonb(one)), 'UTF8'));
          update login_log set digest = previous where sequence = one.sequence;
        end loop;
        update audit_chain set digest = previous where log = 'login_log';
      end $$`,
    sql`delete from audit_seal`,
  );
  rmSync(join(test.dataDirectory, 'audit-seals.json'), { force: true });
  const { vault } = test.program;
  const chains = createAuditChains({ db: test.db, vault, directory: test.dataDirectory });
  await chains.seal();
  // The server itself finds nothing.
  const [verdict] = await chains.verify(['login_log']);
  expect(verdict?.first_break).toBeNull();
  const { code, stdout } = await verified(await exported('after.tar', PERIOD));
  expect(stdout).toMatch(
    /CHANGED \(witness\): login_log: does not match witness \d+ of .*; a row from \d+ to \d+ was changed/,
  );
  expect(stdout).not.toMatch(/CHANGED.*(?:operate_log|session)/);
  expect(code).toBe(2);
  // A statement that fits the new chain no longer fits its token.
  await asAttacker(sql`update audit_witness w set statement = (select jsonb_set(w.statement::jsonb,
    '{heads}', (select jsonb_agg(jsonb_build_object('log', h ->> 'log', 'sequence',
      (h ->> 'sequence')::bigint, 'digest', case when h ->> 'log' = 'login_log' then
      (select encode(digest, 'hex') from login_log l
        where l.sequence = (h ->> 'sequence')::bigint) else h ->> 'digest' end))
      from jsonb_array_elements(w.statement::jsonb -> 'heads') h))::text)`);
  const forged = await verified(await exported('forged.tar', PERIOD));
  expect(forged.stdout).toContain('it is over another statement: the statement was changed');
  expect(forged.code).toBe(2);
  // Without tokens nothing claims to be proven.
  await asAttacker(sql`delete from audit_witness`);
  const bare = await verified(await exported('bare.tar', PERIOD));
  expect(bare.stdout).toContain('login_log: NO WITNESS');
  expect(bare.code).toBe(3);
});
