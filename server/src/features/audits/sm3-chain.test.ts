import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSm2Key } from '../../platform/crypto/sm2.ts';
import { sql } from '../../platform/db/sql.ts';
import type { Client } from '../../testing/client.ts';
import { withoutSchedule } from '../../testing/jobs.ts';
import { runOperatorCommand } from '../../testing/operator-command.ts';
import { bearer } from '../../testing/sign-in.ts';
import { becomeSuperuser } from '../../testing/superuser.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { type AuditChains, createAuditChains } from './chain.ts';

let test: TestProgram;
let admin: Client;
let international: AuditChains;
let national: AuditChains;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
  await withoutSchedule(test, 'audit-seal');
  const options = { db: test.db, vault: test.program.vault, directory: test.dataDirectory };
  international = createAuditChains(options);
  national = createAuditChains({ ...options, suite: 'national' });
});
afterAll(() => test.stop());

/** Changes tables as the database superuser, past the triggers. */
async function tamper(...statements: ReturnType<typeof sql>[]): Promise<void> {
  await test.db.transaction(async (tx) => {
    await becomeSuperuser(tx);
    await sql`set local session_replication_role = replica`.execute(tx);
    for (const statement of statements) await statement.execute(tx);
  });
}

async function write(count: number): Promise<void> {
  for (let index = 0; index < count; index++)
    await admin.post('/api/v1/assets/labels/', { name: crypto.randomUUID(), value: String(index) });
}

const verdictOf = async (chains = national) => (await chains.verify(['operate_log']))[0];

/** Recomputes the SHA-256 of all rows, and moves the end of the log with them. */
const forge = sql`do $$
  declare
    line operate_log;
    last bytea := '';
  begin
    set local timezone = 'UTC';
    for line in select * from operate_log order by sequence loop
      last := sha256(last || convert_to(audit_text(to_jsonb(line)), 'UTF8'));
      update operate_log set digest = last where sequence = line.sequence;
    end loop;
    update audit_chain set digest = last where log = 'operate_log';
  end $$`;

// The logs start empty. Three rows have SHA-256 only, four have SM3, too: the anchor is row 3.
beforeEach(async () => {
  await tamper(
    sql`delete from operate_log`,
    sql`delete from audit_seal`,
    sql`delete from audit_sm3`,
    sql`update audit_chain set sequence = 0, digest = '', removed_sequence = 0,
      removed_digest = '' where log = 'operate_log'`,
  );
  await rm(join(test.dataDirectory, 'audit-seals.json'), { force: true });
  await write(3);
  await international.seal();
  await national.seal();
  await write(4);
  await national.seal();
});

it('covers rows from the first seal of the mode on, and names the earlier ones', async () => {
  expect(await verdictOf()).toMatchObject({
    rows: 7,
    first_break: null,
    sm3: { first: 4, sequence: 7 },
  });
  // Each server verifies both, whatever its own mode.
  expect((await verdictOf(international))?.sm3).toEqual((await verdictOf())?.sm3);
  const { code, stdout } = await runOperatorCommand(test, ['audit', 'verify']);
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining(
      'operate_log: intact (7 rows; SM3 for rows 4 to 7; SHA-256 only for rows 1 to 3)',
    ),
  ]);
});

it('chains SM3 over the same texts as SHA-256', async () => {
  const { rows } = await test.db.transaction(async (tx) => {
    await sql`set local timezone = 'UTC'`.execute(tx);
    return sql<{ text: string; digest: Buffer }>`
      select audit_text(to_jsonb(t)) as text, digest from operate_log t
        order by sequence`.execute(tx);
  });
  let link = createHash('sm3')
    .update(rows[2]?.digest ?? '')
    .digest();
  for (const { text } of rows.slice(3)) link = createHash('sm3').update(link).update(text).digest();
  expect((await verdictOf())?.sm3?.digest).toBe(link.toString('hex'));
});

describe('names what was changed', () => {
  for (const [what, at, statements] of [
    ['a digest of SM3', 5, [sql`update audit_sm3 set digest = sha256('') where sequence = 5`]],
    ['a missing digest of SM3', 6, [sql`delete from audit_sm3 where sequence = 6`]],
    ['the anchor', 4, [sql`update audit_sm3 set digest = sha256('') where sequence = 3`]],
    ['all digests of SM3', 4, [sql`delete from audit_sm3 where log = 'operate_log'`]],
    ['a row', 5, [sql`update operate_log set resource = 'another' where sequence = 5`]],
  ] as const)
    it(`names ${what}`, async () => {
      await tamper(...statements);
      expect(await verdictOf()).toMatchObject({ first_break: at, last_break: at });
      // The log is not sealed after the break.
      await national.seal();
      await write(1);
      await national.seal();
      expect(await verdictOf()).toMatchObject({ first_break: at });
    });

  it('names a row whose chain of SHA-256 and seals without SM3 were replaced', async () => {
    await tamper(
      sql`update operate_log set resource = 'another' where sequence = 5`,
      forge,
      sql`delete from audit_seal`,
    );
    const verdict = await verdictOf();
    expect(verdict?.first_break).not.toBeNull();
    expect(verdict?.sm3).toMatchObject({ first: 4, sequence: 4 });
  });

  it('rejects a seal whose signature by SM2 or its key was replaced', async () => {
    await rm(join(test.dataDirectory, 'audit-seals.json'));
    const { rows } = await sql<{ signature: string }>`
      select sm3 #>> '{sm2,signature}' as signature from audit_seal
        where log = 'operate_log'`.execute(test.db);
    expect(rows[0]?.signature).toMatch(/^[0-9a-f]{128}$/);
    await tamper(
      sql`update audit_seal set sm3 = jsonb_set(sm3, '{sm2,signature}',
        to_jsonb(${createSm2Key().sign('another text')}::text)) where log = 'operate_log'`,
    );
    expect((await verdictOf())?.first_break).not.toBeNull();
    await tamper(
      sql`update audit_seal set sm3 = jsonb_set(sm3, '{sm2}', jsonb_build_object('key', 'unknown',
        'signature', ${rows[0]?.signature ?? ''}::text)) where log = 'operate_log'`,
    );
    expect((await verdictOf())?.first_break).not.toBeNull();
  });

  it('rejects a seal whose digest of SM3 was changed', async () => {
    await rm(join(test.dataDirectory, 'audit-seals.json'));
    await tamper(
      sql`update audit_seal set sm3 = jsonb_set(sm3, '{first}', '7') where log = 'operate_log'`,
    );
    expect((await verdictOf())?.first_break).not.toBeNull();
  });
});

it('continues after a time without the mode, and catches up', async () => {
  await write(2);
  await international.seal();
  expect((await verdictOf())?.sm3).toMatchObject({ first: 4, sequence: 7 });
  await write(1);
  await national.seal();
  expect(await verdictOf()).toMatchObject({ first_break: null, sm3: { first: 4, sequence: 10 } });
});

it('stays verifiable after retention removed rows with digests', async () => {
  expect(await national.forget('operate_log', 0)).toBe(7);
  await national.seal();
  await write(1);
  await national.seal();
  expect(await verdictOf()).toMatchObject({
    removed: 7,
    first_break: null,
    sm3: { first: 8, sequence: 9 },
  });
  await tamper(sql`update audit_sm3 set digest = sha256('') where sequence = 7`);
  expect(await verdictOf()).toMatchObject({ first_break: 8 });
});

it('begins again where retention removed rows that have no digests', async () => {
  await write(2);
  await international.seal();
  expect(await international.forget('operate_log', 0)).toBe(9);
  await national.seal();
  await write(2);
  await national.seal();
  expect(await verdictOf()).toMatchObject({
    removed: 9,
    first_break: null,
    sm3: { first: 11, sequence: 12 },
  });
});
