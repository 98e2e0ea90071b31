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
import type { Client, Json, Page } from '../../testing/client.ts';
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

it('returns each asset once and the exact total on deep pages, by hostname and by IP', async () => {
  const organization = await buildOrganization(test.db);
  const here = admin.inOrganization(organization);
  await sql`insert into asset (org_id, hostname, ip, platform)
    select ${organization}, 'deep-' || n, '10.0.0.' || n % 7, 'Linux'
    from generate_series(1, 1203) n`.execute(test.db);
  await buildAsset(test.db, { hostname: 'deep-elsewhere' });
  for (const order of ['hostname', '-hostname', 'ip', '-ip']) {
    const [column, direction] = [order.replace('-', ''), order.startsWith('-') ? 'desc' : 'asc'];
    const { rows } = await sql<{ id: string }>`select id from asset
      where org_id = ${organization}
      order by ${sql.ref(column)} ${sql.raw(direction)}, id ${sql.raw(direction)}`.execute(test.db);
    // The page is asked often enough for its statement to be prepared.
    for (let turn = 0; turn < 22; turn++) {
      const offset = 1_000 + (turn % 11) * 20;
      const { body } = await here.get<Page>(
        `assets/assets/?order=${order}&limit=20&offset=${offset}`,
      );
      expect([body.count, body.results.map(({ id }) => id)]).toEqual([
        1_203,
        rows.slice(offset, offset + 20).map(({ id }) => id),
      ]);
    }
  }
  const searched = await here.get<Page>('assets/assets/?search=deep&limit=20&offset=1200');
  expect([searched.body.count, searched.body.results]).toEqual([1_203, expect.any(Array)]);
});

it('counts the assets of one organization as they are added and removed', async () => {
  const here = admin.inOrganization(await buildOrganization(test.db));
  const count = async () => (await here.get<Page>('assets/assets/?limit=2')).body.count;
  const ids: unknown[] = [];
  for (const number of [1, 2, 3]) {
    const { body } = await here.post('assets/assets/', {
      hostname: unique('counted'),
      ip: '192.0.2.1',
      platform: 'Linux',
    });
    ids.push(body.id);
    expect(await count()).toBe(number);
  }
  await here.delete(`assets/assets/${ids[0]}/`);
  expect(await count()).toBe(2);
});

it('stores and finds an asset with the longest texts', async () => {
  // Characters of three bytes that hardly repeat.
  const longest = (start: number) =>
    String.fromCharCode(...Array.from({ length: 128 }, (_, index) => start + index * 37));
  const [hostname, comment] = [longest(0x4e00), longest(0x5e00)];
  const ip = `${'a'.repeat(60)}.${'b'.repeat(60)}.example`.slice(0, 128);
  const asset = { hostname, comment, ip, platform: 'Linux' };
  const { status } = await admin.post('assets/assets/', asset);
  expect(status).toBe(201);
  const search = encodeURIComponent(`${hostname.slice(0, 20)} ${comment.slice(-20)}`);
  const { body } = await admin.get<Page>(`assets/assets/?limit=10&search=${search}`);
  expect(body.results).toEqual([expect.objectContaining({ hostname, comment, ip })]);
});

it('searches a common word of a large table by hostname, within the organization', async () => {
  const [organization, other] = [
    await buildOrganization(test.db),
    await buildOrganization(test.db),
  ];
  const here = admin.inOrganization(organization);
  // A page sorts at most 15,000 matches. With more, it walks the list.
  await sql`insert into asset (org_id, hostname, ip, comment, platform)
    select case when n % 16 = 0 then ${other} else ${organization} end,
      md5(n::text) || case when n % 8 = 1 then '-rare' else '-common' end, '10.0.0.1', 'rack ' || n,
      'Linux' from generate_series(1, 20000) n`.execute(test.db);
  await sql`vacuum analyze asset`.execute(test.db);
  // The first page of a table tells its size.
  await here.get('assets/assets/?limit=1');
  for (const search of ['common', 'rare', 'common rack'])
    for (const order of ['hostname', '-hostname']) {
      const { rows } = await sql<{ hostname: string }>`select hostname from asset
        where org_id = ${organization} and hostname like ${`%${search.split(' ')[0]}`}
        order by hostname ${sql.raw(order.startsWith('-') ? 'desc' : 'asc')}`.execute(test.db);
      for (const offset of [0, 30, rows.length - 5]) {
        const { body } = await here.get<Page>(
          `assets/assets/?limit=10&offset=${offset}&order=${order}&search=${search}`,
        );
        expect(body.results.map(({ hostname }) => hostname)).toEqual(
          rows.slice(offset, offset + 10).map(({ hostname }) => hostname),
        );
        expect(body.count).toBe(rows.length);
      }
    }
});
