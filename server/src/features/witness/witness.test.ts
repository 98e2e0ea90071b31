import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AttentionItem, AuditWitness, Health } from '@sallyport/contract';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { createLog } from '../../platform/log.ts';
import { readAuthorities } from '../../platform/timestamp/request.ts';
import { verifyToken } from '../../platform/timestamp/token.ts';
import { buildUser } from '../../testing/builders.ts';
import type { Client } from '../../testing/client.ts';
import { runHousekeeping, withoutSchedule } from '../../testing/jobs.ts';
import {
  startTimestampServer,
  type TimestampServer,
} from '../../testing/services/timestamp-server.ts';
import { bearer } from '../../testing/sign-in.ts';
import { becomeSuperuser } from '../../testing/superuser.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { createWitnesses } from './service.ts';

let service: TimestampServer;
let folder: string;
let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  service = await startTimestampServer();
  folder = mkdtempSync(join(tmpdir(), 'sallyport-witness-'));
  const caFile = join(folder, 'ca.pem');
  writeFileSync(caFile, service.authority);
  test = await startTestProgram({ witness: { url: service.url, caFile } });
  admin = await bearer(test);
  await withoutSchedule(test, 'audit-witness');
});
afterAll(async () => {
  await test.stop();
  await service.stop();
  rmSync(folder, { recursive: true });
});
beforeEach(async () => {
  service.mischief = undefined;
  await test.db.transaction(async (tx) => {
    await becomeSuperuser(tx);
    await sql`set local session_replication_role = replica`.execute(tx);
    await sql`delete from audit_witness`.execute(tx);
  });
});

const state = async () => (await admin.get<AuditWitness>('audits/witness/')).body;
const run = () => runHousekeeping(test, 'audit-witness');
/** Runs as if at a later time. */
const runAt = (hours: number) =>
  createWitnesses({
    db: test.db,
    authority: { url: service.url, authorities: readAuthorities(service.authority) },
    log: createLog('silent'),
    now: () => new Date(Date.now() + hours * 3_600_000),
  }).run();
const stored = async () =>
  (
    await sql<{ statement: string; token: Buffer | null }>`
      select statement, token from audit_witness order by id`.execute(test.db)
  ).rows;

it('has the ends of all logs signed, and names the time and the authority', async () => {
  await run();
  expect(await state()).toMatchObject({
    configured: true,
    authority: 'CN=Test timestamps',
    waiting: 0,
    missing: false,
    problem: '',
  });
  const [{ statement = '', token = null } = {}] = await stored();
  const { rows: heads } = await sql<{ log: string; sequence: number; digest: string }>`
    select log, sequence, encode(digest, 'hex') as digest from audit_chain where log = 'login_log'`.execute(
    test.db,
  );
  expect(JSON.parse(statement).heads).toContainEqual(heads[0]);
  const digest = createHash('sha256').update(statement).digest();
  const authorities = readAuthorities(service.authority);
  expect(verifyToken(token ?? Buffer.of(), { digest, authorities }).authority).toBe(
    'CN=Test timestamps',
  );
  const auditor = await bearer(test, await buildUser(test.db, { role: 'Auditor' }));
  expect((await auditor.get('audits/witness/')).status).toBe(200);
  const user = await bearer(test, await buildUser(test.db));
  expect((await user.get('audits/witness/')).status).toBe(403);
});

it('makes one statement an hour, each naming the previous one', async () => {
  for (const hours of [0, 0.5, 1.1, 1.9]) await runAt(hours);
  const [first, second, ...more] = await stored();
  expect(more).toEqual([]);
  expect(JSON.parse(second?.statement ?? '').previous).toBe(
    createHash('sha256')
      .update(first?.statement ?? '')
      .digest('hex'),
  );
});

it('keeps statements while the authority is away or wrong, shows it, and catches up', async () => {
  for (const [hours, mischief] of [
    [-3, 'away'],
    [-1.9, 'changed time'],
  ] as const) {
    service.mischief = mischief;
    await runAt(hours);
  }
  await run();
  expect(await state()).toMatchObject({ waiting: 3, missing: true, date: null });
  expect((await state()).problem).toContain('content was changed');
  const health = async () =>
    (await admin.get<Health>('/api/health/')).body.dependencies.audit_witness?.status;
  const needs = async () =>
    (await admin.get<AttentionItem[]>('common/attention/')).body.map(({ kind }) => kind);
  expect(await health()).toBe('down');
  expect(await needs()).toContain('witness_missing');
  service.mischief = undefined;
  await run();
  expect(await state()).toMatchObject({ waiting: 0, missing: false, problem: '' });
  expect((await stored()).every(({ token }) => token !== null)).toBe(true);
  expect(await health()).toBe('up');
  expect(await needs()).not.toContain('witness_missing');
});

it('rejects a change of a signed statement', async () => {
  await run();
  for (const change of [
    sql`update audit_witness set statement = ''`,
    sql`delete from audit_witness`,
  ])
    await expect(change.execute(test.db)).rejects.toThrow('can only grow');
});
