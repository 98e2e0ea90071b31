import {
  asset,
  cluster,
  databaseApp,
  type Resource,
  remoteApp,
  writableFields,
} from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts';

/** Fields of a granted target that its trigger does not hold, each with the reason. */
const LEFT_OUT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  asset: {
    hostname: 'A user finds granted assets by it; no connection uses it as an address.',
    nodes: 'The trigger of places decides: joining a granted node is controlled.',
    platform: 'The trigger of platforms decides.',
    is_active: 'Switching off takes access away; switching on gives back an approved target.',
    public_ip: 'Shown only.',
    number: 'Shown only.',
    comment: 'Shown only.',
    labels: 'A search finds assets by them; no rule uses them.',
  },
  database_app: { name: 'A user finds granted databases by it.', comment: 'Shown only.' },
  cluster: { name: 'A user finds granted clusters by it.', comment: 'Shown only.' },
  remote_app: { name: 'A user finds granted apps by it.', comment: 'Shown only.' },
};

let place: TestDatabase;
let database: ReturnType<typeof openDatabase>;
beforeAll(async () => {
  place = await createTestDatabase();
  database = openDatabase(place.url, 1);
});
afterAll(async () => {
  await database.close();
  await place.drop();
});

/** Columns that the trigger of a table holds. */
async function controlledColumns(table: string): Promise<readonly string[]> {
  const { rows } = await sql<{ columns: string }>`
    select encode(tgargs, 'escape') as columns from pg_trigger
    where tgname = 'change_control' and tgrelid = ${table}::regclass`.execute(database.db);
  expect(rows).toHaveLength(1);
  return (rows[0]?.columns ?? '').split('\\000').filter(Boolean);
}

it.each<Resource>([asset, databaseApp, remoteApp, cluster])(
  'controls each field of a granted $name that leads to its target',
  async (resource) => {
    const columns = await controlledColumns(resource.name);
    const leftOut = Object.keys(LEFT_OUT[resource.name] ?? {});
    const fields = writableFields(resource)
      .filter(([, { kind }]) => kind !== 'id')
      .map(([name]) => name);
    const columnOf = (name: string) =>
      [name, `${name}_id`, `${name}_name`].find((one) => columns.includes(one));
    expect(fields.filter((name) => columnOf(name) === undefined).toSorted()).toEqual(
      leftOut.toSorted(),
    );
    const held = fields.map(columnOf).filter((name) => name !== undefined);
    expect([...held, 'org_id'].toSorted()).toEqual([...columns].toSorted());
  },
);
