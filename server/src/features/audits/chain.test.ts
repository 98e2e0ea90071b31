import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildOrganization, buildUser } from '../../testing/builders.ts';
import type { Client } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { forgetOlderThan, verifyChains } from './chain.ts';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

const breakOf = async (log: string) => (await verifyChains(test.db)).find((verdict) => verdict.log === log)?.first_break;

/** Does to the log what somebody with the database's own password could do. */
async function tamper(statement: ReturnType<typeof sql>): Promise<void> {
  await test.db.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    await statement.execute(tx);
  });
}

describe('the audit logs', () => {
  beforeEach(async () => {
    for (const value of ['1', '2', '3']) await admin.post('/api/v1/assets/labels/', { name: crypto.randomUUID(), value });
  });

  it('are intact after ordinary work, and say so', async () => {
    const answer = await admin.post<{ intact: boolean; logs: { log: string; rows: number; first_break: number | null }[] }>('/api/v1/audits/verify/');
    expect(answer.status).toBe(200);
    expect(answer.body.intact).toBe(true);
    expect(answer.body.logs.find(({ log }) => log === 'operate_log')?.rows).toBeGreaterThanOrEqual(3);
  });

  it('are checked only by those above organizations', async () => {
    const { db } = test;
    const auditor = await bearer(test, await buildUser(db, { role: 'Auditor' }));
    expect((await auditor.post('/api/v1/audits/verify/')).status).toBe(200);
    const organization = await buildOrganization(db);
    for (const role of ['Auditor', 'Admin'] as const) {
      const member = (await bearer(test, await buildUser(db, { memberOf: [{ organization, role }] }))).inOrganization(organization);
      expect((await member.post('/api/v1/audits/verify/')).status).toBe(403);
    }
  });

  it('refuse to be changed, shortened or emptied', async () => {
    await expect(sql`update operate_log set "user" = 'nobody'`.execute(test.db)).rejects.toThrow('only grow');
    await expect(sql`delete from login_log`.execute(test.db)).rejects.toThrow('only grow');
    await expect(sql`truncate operate_log`.execute(test.db)).rejects.toThrow('only grow');
  });

  it('stay whole when many write at once', async () => {
    await Promise.all(
      Array.from({ length: 30 }, (_, index) => admin.post('/api/v1/assets/labels/', { name: `together ${index}`, value: crypto.randomUUID() })),
    );
    expect(await breakOf('operate_log')).toBeNull();
  });

  it('forget their beginning after the days of retention and stay provable', async () => {
    expect(await forgetOlderThan(test.db, 'operate_log', 0)).toBeGreaterThan(0);
    expect(await breakOf('operate_log')).toBeNull();
    await admin.post('/api/v1/assets/labels/', { name: crypto.randomUUID(), value: 'after' });
    expect(await breakOf('operate_log')).toBeNull();
    expect(await forgetOlderThan(test.db, 'operate_log', 3)).toBe(0);
  });

  it('keep who changed whose password, without the password', async () => {
    const person = await buildUser(test.db);
    const changed = await admin.patch(`/api/v1/users/users/${person.id}/password/`, { password: 'a brand new one 1' });
    expect(changed.status).toBe(200);
    const { body } = await admin.get<{ user: string; change_by: string }[]>('/api/v1/audits/password-change-logs/');
    expect(body[0]).toMatchObject({ user: expect.stringContaining(person.username), change_by: 'Administrator(admin)' });
    expect(JSON.stringify(body)).not.toContain('brand new');
  });
});

describe('a log that somebody worked on', () => {
  let rows: { id: string; sequence: number }[];
  beforeEach(async () => {
    await test.stop();
    test = await startTestProgram();
    admin = await bearer(test);
    for (const value of ['1', '2', '3', '4', '5']) await admin.post('/api/v1/assets/labels/', { name: 'name', value });
    rows = (await sql<{ id: string; sequence: number }>`select id, sequence from operate_log order by sequence`.execute(test.db)).rows;
  });

  it('names the row that was changed', async () => {
    await tamper(sql`update operate_log set resource = 'another' where sequence = 3`);
    expect(await breakOf('operate_log')).toBe(3);
  });

  it('names the place of a row that was taken out of the middle', async () => {
    await tamper(sql`delete from operate_log where sequence = 2`);
    expect(await breakOf('operate_log')).toBe(2);
  });

  it('notices that its end is missing', async () => {
    await tamper(sql`delete from operate_log where sequence = ${rows.length}`);
    expect(await breakOf('operate_log')).toBe(rows.length);
  });

  it('notices a row that was put in between', async () => {
    await tamper(sql`
      update operate_log set sequence = sequence + 100 where sequence > 2`);
    await tamper(sql`update operate_log set sequence = sequence - 99 where sequence > 100`);
    await tamper(sql`
      insert into operate_log (org_id, "user", action, resource_type, resource, remote_addr, sequence, digest)
      select org_id, "user", action, resource_type, 'forged', remote_addr, 3, digest from operate_log where sequence = 2`);
    expect(await breakOf('operate_log')).toBe(3);
  });
});
