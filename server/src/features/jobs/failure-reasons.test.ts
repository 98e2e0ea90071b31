import {
  ERRORS,
  type FailureReason,
  type LocalText,
  NO_ADMIN_USER,
  say,
} from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildAsset, buildOrganization, buildUser } from '../../testing/builders.ts';
import type { Client } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let organization: string;
let administrator: Client;
let auditor: Client;
let stranger: Client;
beforeAll(async () => {
  test = await startTestProgram();
  const elsewhere = await buildOrganization(test.db);
  organization = await buildOrganization(test.db);
  const sign = async (role: 'Admin' | 'Auditor', place: string) =>
    (await bearer(test, await buildUser(test.db, { memberOf: [{ organization: place, role }] })))
      .inOrganization(place)
      .with({ 'accept-language': 'en' });
  administrator = await sign('Admin', organization);
  auditor = await sign('Auditor', organization);
  stranger = await sign('Admin', elsewhere);
});
afterAll(() => test.stop());

const about = (text: LocalText, params: Readonly<Record<string, string>>): LocalText => ({
  en: say(text, 'en', params),
  zh: say(text, 'zh', params),
});

async function run(
  hosts: readonly (readonly [name: string, state: string, reason: LocalText | null])[],
): Promise<{ readonly id: string; readonly assets: ReadonlyMap<string, string> }> {
  const { rows: tasks } = await sql<{ id: string }>`
    insert into ops_task (org_id, job, key, name, words, input)
    values (${organization}, 'test-assets', gen_random_uuid()::text, 'test', 'test', '{}')
    returning id`.execute(test.db);
  const { rows } = await sql<{ id: string }>`
    insert into adhoc_execution (id, org_id, task_id, hosts_amount, date_start)
    values (gen_random_uuid(), ${organization}, ${tasks[0]?.id}, ${hosts.length}, now())
    returning id`.execute(test.db);
  const id = rows[0]?.id ?? '';
  const assets = new Map<string, string>();
  for (const [hostname, state, reason] of hosts) {
    const asset = await buildAsset(test.db, { organization, hostname });
    assets.set(hostname, asset);
    await sql`
      insert into adhoc_execution_host (org_id, execution_id, asset_id, hostname, state, reason)
      values (${organization}, ${id}, ${asset}, ${hostname}, ${state},
        ${reason && JSON.stringify(reason)}::jsonb)`.execute(test.db);
  }
  return { id, assets };
}

const reasons = async (client: Client, id: string) =>
  (await client.get<FailureReason[]>(`common/jobs/${id}/reasons/`)).body;

it('groups the hosts of a run by reason, the most hosts first, each with its remedy', async () => {
  const refused = (host: string) => about(ERRORS.connect_refused, { host });
  const { id, assets } = await run([
    ['c-1', 'failed', refused('c-1')],
    ['c-2', 'failed', refused('c-2')],
    ['n-1', 'skipped', NO_ADMIN_USER],
    ['n-2', 'skipped', NO_ADMIN_USER],
    ['n-3', 'skipped', NO_ADMIN_USER],
    ['ok', 'done', null],
    ['x-1', 'failed', { en: 'The disk is full.', zh: '磁盘已满。' }],
    ['x-2', 'failed', null],
  ]);
  const hosts = (...names: string[]) => names.map((name) => ({ asset: assets.get(name), name }));
  expect(await reasons(administrator, id)).toEqual([
    {
      state: 'skipped',
      reason: 'No usable admin user: a username and a password or key are required.',
      count: 3,
      hosts: hosts('n-1', 'n-2', 'n-3'),
      mend: 'admin_user',
    },
    {
      state: 'failed',
      reason: '… refused the connection.',
      count: 2,
      hosts: hosts('c-1', 'c-2'),
      mend: 'address',
    },
    { state: 'failed', reason: 'The disk is full.', count: 1, hosts: hosts('x-1'), mend: null },
    {
      state: 'failed',
      reason: 'No reason was recorded.',
      count: 1,
      hosts: hosts('x-2'),
      mend: null,
    },
  ]);
  const [chinese] = await reasons(administrator.with({ 'accept-language': 'zh' }), id);
  expect(chinese?.reason).toBe(NO_ADMIN_USER.zh);
});

it('shows the reasons to administrators of the organization only, and none for other jobs', async () => {
  const { id } = await run([['s-1', 'failed', NO_ADMIN_USER]]);
  expect(await reasons(administrator, id)).toHaveLength(1);
  expect(await reasons(stranger, id)).toEqual([]);
  expect((await auditor.get(`common/jobs/${id}/reasons/`)).status).toBe(403);
  expect((await test.visitor.get(`common/jobs/${id}/reasons/`)).status).toBe(401);
  expect(await reasons(administrator, crypto.randomUUID())).toEqual([]);
  expect((await administrator.get('common/jobs/x/reasons/')).status).toBe(404);
});
