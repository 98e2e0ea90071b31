import { randomUUID } from 'node:crypto';
import type { ImportToUndo, UndoneImport } from '@sallyport/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildOrganization, unique } from '../../testing/builders.ts';
import type { Client, Json, Page } from '../../testing/client.ts';
import { signInMember } from '../../testing/roles.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let li: Client;
let colleague: Client;
let stranger: Client;
beforeAll(async () => {
  test = await startTestProgram();
  const [here, there] = [await buildOrganization(test.db), await buildOrganization(test.db)];
  li = await signInMember(test, here);
  colleague = await signInMember(test, here);
  stranger = await signInMember(test, there);
});
afterAll(() => test.stop());

/** Imports assets and returns the id of the import and the rows. */
async function importAssets(names: readonly string[], query = '') {
  const id = randomUUID();
  const file = ['hostname,ip,platform', ...names.map((name) => `${name},10.0.0.1,Linux`)].join(
    '\r\n',
  );
  const { status, body } = await li.send<Json[]>(
    'POST',
    `assets/assets/?job=${id}${query}`,
    file,
    'text/csv',
  );
  expect(status).toBe(201);
  return { id, rows: body };
}
const look = (id: string, client = li) => client.get<ImportToUndo>(`common/imports/${id}/`);
const undo = (id: string, client = li) =>
  client.post<UndoneImport>(`common/imports/${id}/undo/`, {});
const countOf = async (name: string) =>
  (await li.get<Page>(`assets/assets/?limit=1&search=${name}`)).body.count;

describe('an import with ?job=', () => {
  it('lists what undo would delete, deletes it, and forgets the import', async () => {
    const name = unique('undone');
    const { id } = await importAssets([`${name}-1`, `${name}-2`]);
    expect((await look(id)).body).toEqual({
      id,
      resource: 'asset',
      resource_display: 'Asset',
      count: 2,
      nodes: 0,
      kept: 0,
      kept_names: [],
    });
    expect((await undo(id)).body).toEqual({
      removed: 2,
      removed_nodes: 0,
      kept: 0,
      kept_names: [],
    });
    expect([await countOf(name), (await look(id)).status, (await undo(id)).status]).toEqual([
      0, 404, 404,
    ]);
    const { rows } =
      await sql`select 1 from operate_log where action = 'delete' and resource like ${`${name}%`}`.execute(
        test.db,
      );
    expect(rows).toHaveLength(2);
  });

  it('keeps rows that were changed or used since, and names them', async () => {
    const name = unique('kept');
    const { id, rows } = await importAssets(
      ['changed', 'granted', 'labeled', 'gone', 'session', 'free'].map((what) => `${name}-${what}`),
    );
    const idOf = (what: string) =>
      String(rows.find(({ hostname }) => hostname === `${name}-${what}`)?.id);
    const account = await li.post<Json>('assets/system-users/', {
      name: unique('ops'),
      username: 'ops',
      login_mode: 'manual',
    });
    expect((await li.patch(`assets/assets/${idOf('changed')}/`, { comment: 'mine' })).status).toBe(
      200,
    );
    const rule = await li.post('perms/asset-permissions/', {
      name: unique('rule'),
      assets: [idOf('granted')],
      system_users: [account.body.id],
    });
    expect([rule.status, rule.status === 201 ? '' : rule.text]).toEqual([201, '']);
    await li.post('assets/labels/', {
      name: unique('label'),
      value: 'x',
      assets: [idOf('labeled')],
    });
    await li.delete(`assets/assets/${idOf('gone')}/`);
    await sql`insert into session ("user", asset, "system_user", asset_id) values ('li', 'x', 'ops', ${idOf('session')})`.execute(
      test.db,
    );
    const kept = ['changed', 'granted', 'labeled', 'session']
      .map((what) => `${name}-${what}`)
      .toSorted();
    const seen = (await look(id)).body;
    expect([seen.count, seen.kept, [...seen.kept_names].toSorted()]).toEqual([1, 4, kept]);
    const done = (await undo(id)).body;
    expect([done.removed, done.kept, [...done.kept_names].toSorted(), await countOf(name)]).toEqual(
      [1, 4, kept, 4],
    );
  });

  it('deletes nodes of the import that are empty', async () => {
    const [name, top] = [unique('placed'), unique('top')];
    const id = randomUUID();
    const { body: roots } = await li.get<Json[]>('assets/nodes/children/tree/');
    const root = String(
      (roots[0]?.meta as { node: { value: string } } | undefined)?.node.value ?? roots[0]?.name,
    ).replace(/ \(\d+\)$/, '');
    const lines = [
      `${name}-1,10.0.0.1,Linux,/${root}/${top}/empty`,
      `${name}-2,10.0.0.1,Linux,/${root}/${top}/used`,
    ];
    const { status, text } = await li.send(
      'POST',
      `assets/assets/?job=${id}&create_missing=node`,
      ['hostname,ip,platform,nodes', ...lines].join('\r\n'),
      'text/csv',
    );
    expect([status, status === 201 ? '' : text]).toEqual([201, '']);
    const nodes = async () =>
      (
        await sql<{
          value: string;
        }>`select value from node where value in (${top}, 'empty', 'used') and (value = ${top} or parent_id in (select id from node where value = ${top})) order by value`.execute(
          test.db,
        )
      ).rows.map(({ value }) => value);
    expect(await nodes()).toEqual(['empty', top, 'used'].toSorted());
    expect((await look(id)).body).toMatchObject({ count: 2, nodes: 3 });
    const { rows } = await sql<{
      id: string;
    }>`select id from node where value = 'used' and parent_id in (select id from node where value = ${top})`.execute(
      test.db,
    );
    const [used] = rows;
    expect(
      (
        await li.post('assets/assets/', {
          hostname: `${name}-mine`,
          ip: '10.0.0.2',
          platform: 'Linux',
          nodes: [used?.id ?? ''],
        })
      ).status,
    ).toBe(201);
    expect((await undo(id)).body).toMatchObject({ removed: 2, removed_nodes: 1 });
    expect(await nodes()).toEqual([top, 'used'].toSorted());
  });

  it('belongs to its user and organization, and expires after half an hour', async () => {
    const { id } = await importAssets([unique('mine')]);
    for (const client of [colleague, stranger])
      expect([(await look(id, client)).status, (await undo(id, client)).status]).toEqual([
        404, 404,
      ]);
    await sql`update imported_rows set date_expired = now() - interval '1 second' where id = ${id}`.execute(
      test.db,
    );
    expect([
      (await look(id)).status,
      (await undo(id)).status,
      (await look('nonsense')).status,
    ]).toEqual([404, 404, 404]);
  });

  it('offers no undo after a check', async () => {
    const { id } = await importAssets([unique('checked')], '&dry_run=1');
    expect((await look(id)).status).toBe(404);
  });
});
