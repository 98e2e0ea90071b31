import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import {
  buildAsset,
  buildGroup,
  buildOrganization,
  buildUser,
  rootNode,
  unique,
} from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

const row = async (id: string, client = admin) =>
  (await client.get<Json[]>(`assets/assets/?ids=${id}&tz=UTC`)).body[0] as Json;

it('lists an asset with its first nodes and labels', async () => {
  const id = await buildAsset(test.db);
  const root = await rootNode(test.db);
  const labels = await Promise.all(
    ['d', 'b', 'a', 'c'].map(async (value) => {
      const label = await admin.post('assets/labels/', {
        name: unique('env'),
        value,
        assets: [id],
      });
      return { id: String(label.body.id), name: `${label.body.name}:${value}` };
    }),
  );
  const listed = await row(id);
  expect(listed.labels).toHaveLength(4);
  const byName = [...labels].sort((one, other) => (one.name < other.name ? -1 : 1));
  expect(listed.first_names).toEqual({
    nodes: [{ id: root, name: expect.any(String) }],
    labels: byName.slice(0, 3),
  });
});

it('lists an asset with its latest session in this organization', async () => {
  const id = await buildAsset(test.db);
  expect((await row(id)).last_session).toBeNull();
  const add = async (
    organization: string,
    date: string,
    isSuccess: boolean,
    reason: string | null,
  ) =>
    (
      await sql<{ id: string }>`
        insert into session (org_id, "user", asset, "system_user", asset_id, is_finished,
          is_success, end_reason, date_start)
        values (${organization}, 'Someone', 'web', 'root', ${id}, true, ${isSuccess}, ${reason},
          ${date}) returning id`.execute(test.db)
    ).rows[0]?.id;
  await add('', '2026-01-02T08:00:00Z', true, null);
  const latest = await add('', '2026-01-03T08:00:00Z', false, 'connect_unreachable');
  await add(await buildOrganization(test.db), '2026-01-04T08:00:00Z', true, null);
  expect((await row(id, admin.with({ 'x-tz': 'UTC' }))).last_session).toEqual({
    id: latest,
    date: '2026-01-03 08:00:00 +0000',
    is_success: false,
    is_finished: true,
    end_reason: 'connect_unreachable',
  });
});

it('lists an asset with the state of its host key: none, pinned or changed', async () => {
  const id = await buildAsset(test.db);
  expect((await row(id)).host_key).toBe('none');
  await sql`insert into host_key (asset_id, host, port, key_type, public_key, fingerprint)
    values (${id}, '10.0.0.1', 22, 'ssh-ed25519', 'k', 'SHA256:k')`.execute(test.db);
  expect((await row(id)).host_key).toBe('pinned');
  await sql`update host_key
    set offered_public_key = 'other', offered_key_type = 'ssh-ed25519',
    offered_fingerprint = 'SHA256:o', date_offered = now() where asset_id = ${id}`.execute(test.db);
  expect((await row(id)).host_key).toBe('changed');
});

it('exports assets without the columns that only pages use', async () => {
  const { text } = await admin
    .with({ 'accept-language': 'en' })
    .get('assets/assets/?format=csv&limit=1');
  expect(text).toContain('Hostname');
  expect(text).not.toMatch(/First names|Last session|Host key/);
});

it('lists a user with the first groups of this organization', async () => {
  const user = await buildUser(test.db);
  const groups = [await buildGroup(test.db, [user.id]), await buildGroup(test.db, [user.id])];
  await buildGroup(test.db, [user.id], await buildOrganization(test.db));
  const { body } = await admin.get<Json[]>(`users/users/?ids=${user.id}`);
  const listedGroups = (body[0] as Json & { first_names: { groups: { id: string }[] } }).first_names
    .groups;
  expect(listedGroups.map(({ id }) => id).sort()).toEqual([...groups].sort());
});
