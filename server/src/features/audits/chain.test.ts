import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuditVerification } from '@sallyport/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createVault, directKey } from '../../platform/crypto/vault.ts';
import { SETUP_ROLE } from '../../platform/db/roles.ts';
import { sql } from '../../platform/db/sql.ts';
import { createLog } from '../../platform/log.ts';
import { buildOrganization, buildUser } from '../../testing/builders.ts';
import type { Client } from '../../testing/client.ts';
import { runJob, withoutSchedule } from '../../testing/jobs.ts';
import { signInMember } from '../../testing/roles.ts';
import { bearer } from '../../testing/sign-in.ts';
import { becomeSuperuser } from '../../testing/superuser.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { type AuditChains, createAuditChains } from './chain.ts';

let test: TestProgram;
let admin: Client;
let chains: AuditChains;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
  // An automatic seal would be a further proof, and move the place of a break.
  await withoutSchedule(test, 'audit-seal');
  chains = createAuditChains({
    db: test.db,
    vault: test.program.vault,
    directory: test.dataDirectory,
  });
});
afterAll(() => test.stop());

const verdictOf = async (log: 'operate_log' | 'login_log') => (await chains.verify([log]))[0];
const breakOf = async (log: 'operate_log' | 'login_log') => (await verdictOf(log))?.first_break;

/** Changes the log as the database superuser. */
async function tamper(...statements: ReturnType<typeof sql>[]): Promise<void> {
  await test.db.transaction(async (tx) => {
    await becomeSuperuser(tx);
    for (const statement of statements) await statement.execute(tx);
  });
}

async function write(count: number): Promise<void> {
  for (let index = 0; index < count; index++)
    await admin.post('/api/v1/assets/labels/', { name: crypto.randomUUID(), value: String(index) });
}

describe('the audit logs', () => {
  beforeEach(() => write(3));

  it('reports intact logs after ordinary work', async () => {
    const answer = await admin.post<{
      intact: boolean;
      logs: { log: string; rows: number; sequence: number; digest: string }[];
    }>('/api/v1/audits/verify/');
    expect(answer.status).toBe(200);
    expect(answer.body.intact).toBe(true);
    const verdict = answer.body.logs.find(({ log }) => log === 'operate_log');
    expect(verdict?.rows).toBeGreaterThanOrEqual(3);
    // The reported end can be compared later, although the log has grown.
    await write(1);
    const { rows } = await sql<{
      digest: string;
    }>`select encode(digest, 'hex') as digest from operate_log
      where sequence = ${verdict?.sequence ?? 0}`.execute(test.db);
    expect(rows).toEqual([{ digest: verdict?.digest }]);
  });

  it('allows verification for administrators and auditors of the installation only', async () => {
    const { db } = test;
    const auditor = await bearer(test, await buildUser(db, { role: 'Auditor' }));
    expect((await auditor.post('/api/v1/audits/verify/')).status).toBe(200);
    const organization = await buildOrganization(db);
    for (const role of ['Auditor', 'Admin'] as const) {
      const member = await signInMember(test, organization, role);
      expect((await member.post('/api/v1/audits/verify/')).status).toBe(403);
    }
  });

  it('stores date and user of the last verification, which also runs every night', async () => {
    const last = async () => (await admin.get<AuditVerification>('audits/verification/')).body;
    await admin.post('audits/verify/');
    expect(await last()).toMatchObject({ intact: true, by: 'Administrator(admin)' });
    expect(await runJob(test, 'audit-verify')).toMatchObject({ state: 'succeeded' });
    expect(await last()).toMatchObject({ intact: true, by: '' });
    // Rows without a signature of this installation are ignored.
    await sql`update audit_verification set date_verified = now() + interval '1 day'`.execute(
      test.db,
    );
    expect(await last()).toEqual({ date: null, intact: false, by: '' });
    const organization = await buildOrganization(test.db);
    for (const role of ['Auditor', 'Admin'] as const)
      expect(
        (await (await signInMember(test, organization, role)).get('audits/verification/')).status,
      ).toBe(403);
  });

  it('denies updates, deletes and truncation', async () => {
    for (const statement of [
      sql`update operate_log set "user" = 'nobody'`,
      sql`delete from login_log`,
      sql`truncate operate_log`,
    ]) {
      await expect(statement.execute(test.db)).rejects.toThrow('permission denied');
      // The triggers stop even the superuser, unless disabled.
      const asSuperuser = test.db.transaction(async (tx) => {
        await sql`set local role ${sql.ref(SETUP_ROLE)}`.execute(tx);
        await statement.execute(tx);
      });
      await expect(asSuperuser).rejects.toThrow('only grow');
    }
  });

  it('stays intact under concurrent writes, seals and verifications', async () => {
    await Promise.all([
      ...Array.from({ length: 30 }, (_, index) =>
        admin.post('/api/v1/assets/labels/', {
          name: `together ${index}`,
          value: crypto.randomUUID(),
        }),
      ),
      ...Array.from({ length: 4 }, () => chains.seal()),
    ]);
    expect(await breakOf('operate_log')).toBeNull();
  });

  it('removes rows at the end of retention and stays verifiable', async () => {
    expect(await chains.forget('operate_log', 0)).toBeGreaterThan(0);
    expect(await breakOf('operate_log')).toBeNull();
    await write(1);
    await chains.seal();
    expect(await breakOf('operate_log')).toBeNull();
    expect(await chains.forget('operate_log', 3)).toBe(0);
  });

  it('logs the user who changed a password, without the password', async () => {
    const person = await buildUser(test.db);
    const changed = await admin.patch(`/api/v1/users/users/${person.id}/password/`, {
      password: 'a brand new one 1',
    });
    expect(changed.status).toBe(200);
    const { body } = await admin.get<{ user: string; change_by: string }[]>(
      '/api/v1/audits/password-change-logs/',
    );
    expect(body[0]).toMatchObject({
      user: expect.stringContaining(person.username),
      change_by: 'Administrator(admin)',
    });
    expect(JSON.stringify(body)).not.toContain('brand new');
  });
});

/** Recomputes the chain from a row on, as an attacker who knows the format could. */
const forgeFrom = (sequence: number) => sql`
  do $$
  declare
    line record;
    previous bytea;
  begin
    select coalesce((select digest from operate_log where sequence = ${sql.lit(sequence)} - 1), '')
      into previous;
    for line in select id from operate_log
      where sequence >= ${sql.lit(sequence)} order by sequence loop
      update operate_log t
        set digest = sha256(previous || convert_to(audit_text(to_jsonb(t)), 'UTF8'))
        where id = line.id returning digest into previous;
    end loop;
    update audit_chain set digest = previous, sequence = (select max(sequence) from operate_log)
      where log = 'operate_log';
  end $$`;
const renumber = sql`
  with numbered as (select id, row_number() over (order by sequence) as place from operate_log)
  update operate_log t set sequence = -numbered.place from numbered where numbered.id = t.id`;
const turn = sql`update operate_log set sequence = -sequence where sequence < 0`;
const headToEnd = sql`
  update audit_chain set (sequence, digest) = (select sequence, digest from operate_log
    order by sequence desc limit 1) where log = 'operate_log'`;

describe('a log that was tampered with', () => {
  const ROWS = 7;
  beforeEach(async () => {
    // The logs start empty, as on a new installation.
    await tamper(
      sql`truncate operate_log`,
      sql`delete from audit_seal`,
      sql`update audit_chain set sequence = 0, digest = '', removed_sequence = 0,
        removed_digest = '' where log = 'operate_log'`,
    );
    await rm(join(test.dataDirectory, 'audit-seals.json'), { force: true });
    await chains.seal();
    await write(5);
    await chains.seal();
    await write(2);
    expect(await verdictOf('operate_log')).toMatchObject({
      rows: ROWS,
      removed: 0,
      first_break: null,
      last_break: null,
    });
  });

  for (const [what, at, statements] of [
    [
      'a row that was changed',
      3,
      [sql`update operate_log set resource = 'another' where sequence = 3`],
    ],
    [
      'a date that was moved',
      4,
      [sql`update operate_log set datetime = datetime - interval '1 second' where sequence = 4`],
    ],
    [
      'a digest that was changed',
      6,
      [sql`update operate_log set digest = sha256('') where sequence = 6`],
    ],
    ['the first row missing', 1, [sql`delete from operate_log where sequence = 1`]],
    ['a row missing in the middle', 2, [sql`delete from operate_log where sequence = 2`]],
    ['the last row missing', ROWS, [sql`delete from operate_log where sequence = ${ROWS}`]],
    ['all rows missing', 1, [sql`delete from operate_log`]],
    ['a log that was emptied', 1, [sql`truncate operate_log`]],
    [
      'two rows that changed places',
      2,
      [
        sql`update operate_log set sequence = case sequence when 2 then -3 else -2 end
          where sequence in (2, 3)`,
        turn,
      ],
    ],
    [
      'a row that was put in between',
      3,
      [
        sql`update operate_log set sequence = -sequence - 1 where sequence > 2`,
        turn,
        sql`insert into operate_log (org_id, "user", action, resource_type, resource, remote_addr,
          sequence, digest)
          select org_id, "user", action, resource_type, 'forged', remote_addr, 3, digest
            from operate_log where sequence = 2`,
      ],
    ],
    ['rows without their places', 1, [sql`delete from audit_chain where log = 'operate_log'`]],
    [
      'a sealed end that was cut off, with its place',
      4,
      [sql`delete from operate_log where sequence > 3`, headToEnd],
    ],
    [
      'everything gone, with its places and the seals of the database',
      1,
      [
        sql`truncate operate_log`,
        sql`delete from audit_seal`,
        sql`update audit_chain set sequence = 0, digest = '' where log = 'operate_log'`,
      ],
    ],
    [
      'a beginning that was passed off as removed by retention',
      1,
      [
        sql`update audit_chain set (removed_sequence, removed_digest) = (select sequence, digest
          from operate_log where sequence = 2) where log = 'operate_log'`,
        sql`delete from operate_log where sequence <= 2`,
      ],
    ],
  ] as const) {
    it(`names ${what}`, async () => {
      await tamper(...statements);
      try {
        expect(await verdictOf('operate_log')).toMatchObject({ first_break: at, last_break: at });
        // The log is not sealed after the break.
        await chains.seal();
        expect(await breakOf('operate_log')).toBe(at);
      } finally {
        await sql`insert into audit_chain (log) values ('operate_log')
          on conflict do nothing`.execute(test.db);
      }
    });
  }

  it('reports a recomputed chain between the last verified and the first broken seal', async () => {
    await tamper(sql`update operate_log set resource = 'another' where sequence = 3`, forgeFrom(3));
    expect(await verdictOf('operate_log')).toMatchObject({ first_break: 1, last_break: 5 });
    // Without the seals in the database, the seal in the file still proves it.
    await tamper(sql`delete from audit_seal`);
    expect(await verdictOf('operate_log')).toMatchObject({ first_break: 1, last_break: 5 });
  });

  it('detects a removed row after all later rows were renumbered', async () => {
    await tamper(sql`delete from operate_log where sequence = 2`, renumber, turn, forgeFrom(2));
    expect(await verdictOf('operate_log')).toMatchObject({ first_break: 1, last_break: 5 });
  });

  it('rejects seals of another key and of another log', async () => {
    const stranger = createAuditChains({
      db: test.db,
      vault: createVault(directKey(Buffer.alloc(32, 7))),
      directory: test.dataDirectory,
    });
    expect(await stranger.verify(['operate_log'])).toMatchObject([
      { first_break: 1, last_break: 5 },
    ]);
    await tamper(
      sql`insert into audit_seal select 'operate_log', 9, sequence, digest, removed_sequence,
        removed_digest, seal from audit_seal where log = 'login_log'`,
    );
    expect(await breakOf('operate_log')).not.toBeNull();
  });

  it('verifies on every server with the same database, whichever server sealed or removed rows', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sallyport-seals-'));
    const other = createAuditChains({ db: test.db, vault: test.program.vault, directory });
    await other.seal();
    await write(1);
    await chains.seal();
    await tamper(
      sql`update operate_log set datetime = datetime - interval '90 days' where sequence <= 3`,
      forgeFrom(1),
      sql`delete from audit_seal`,
    );
    await rm(join(test.dataDirectory, 'audit-seals.json'));
    // The other server has the seal that the first one lost.
    expect(await other.verify(['operate_log'])).toMatchObject([
      { first_break: 1, last_break: ROWS },
    ]);
    await rm(join(directory, 'audit-seals.json'));
    await Promise.all([chains.seal(), other.seal()]);
    expect(await other.forget('operate_log', 30)).toBe(3);
    await write(1);
    await Promise.all([chains.seal(), other.seal()]);
    for (const one of [chains, other])
      expect(await one.verify(['operate_log'])).toMatchObject([{ removed: 3, first_break: null }]);
    await rm(directory, { recursive: true });
  });

  it('logs a broken log once', async () => {
    await tamper(sql`update operate_log set resource = 'another' where sequence = 5`, forgeFrom(5));
    const lines: string[] = [];
    const log = createLog('error', { write: (line: string) => void lines.push(line) });
    const server = createAuditChains({
      db: test.db,
      vault: test.program.vault,
      directory: test.dataDirectory,
      log,
    });
    await server.seal();
    await server.seal();
    expect(
      lines.filter(
        (line) =>
          line.includes('an audit log does not match its seal') && line.includes('operate_log'),
      ),
    ).toHaveLength(1);
  });
});
