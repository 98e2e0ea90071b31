import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { unique } from '../../testing/builders.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts';
import type { SiteTunnelRow } from '../connections/index.ts';
import { keepTunnels } from './store.ts';

let place: TestDatabase;
let database: Database;
beforeAll(async () => {
  place = await createTestDatabase();
  database = openDatabase(place.url, 8);
});
afterAll(async () => {
  await database.close();
  await place.drop();
});

/** Creates sites whose machines have joined; returns their ids in order. */
async function buildSites(count: number): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    with domain as (
      insert into domain (org_id, name) values ('', ${unique('domain')}) returning id
    ), site as (
      insert into gateway (org_id, name, domain_id, protocol)
      select '', ${unique('site')} || n, domain.id, 'site'
      from domain, generate_series(1, ${count}) n returning id
    )
    insert into site_identity (gateway_id, public_key) select id, 'ssh-ed25519 AAAA' from site
    returning gateway_id as id`.execute(database.db);
  return rows.map(({ id }) => id).toSorted();
}

const tunnelTo = (siteId: string): SiteTunnelRow => ({
  id: randomUUID(),
  siteId,
  holder: '',
  remoteAddr: '127.0.0.1',
  software: 'OpenSSH_9.2',
  channels: 0,
  roundTrip: undefined,
});

const stored = async () =>
  (await sql<{ id: string }>`select id from site_tunnel order by id`.execute(database.db)).rows.map(
    ({ id }) => id,
  );

it('waits for no process that writes the same sites, so none deadlocks', async () => {
  const { db } = database;
  const sites = await buildSites(3);
  const tunnels = sites.map(tunnelTo);
  await keepTunnels('one', tunnels, db);
  const added = [...tunnels, ...sites.map(tunnelTo)];
  // The other process has written a site, and a lost tunnel that it removes.
  const other = await db.begin();
  try {
    await sql`update site_identity set date_seen = now()
      where gateway_id = ${sites[1]}`.execute(other);
    await sql`insert into site_tunnel (id, gateway_id, holder, remote_addr, software, date_seen)
      values (${randomUUID()}, ${sites[0]}, 'lost', '', '', now() - interval '1 day')`.execute(db);
    await sql`select from site_tunnel where holder = 'lost' for update`.execute(other);
    expect(await keepTunnels('one', added.toReversed(), db)).toEqual([]);
  } finally {
    await other.rollback();
  }
  await keepTunnels('one', added, db);
  expect(await stored()).toEqual(added.map(({ id }) => id).toSorted());
});

it('lets two processes write the same sites in opposite orders at once', async () => {
  const { db } = database;
  const sites = await buildSites(100);
  const [one, two] = [sites.map(tunnelTo), sites.toReversed().map(tunnelTo)];
  for (let round = 0; round < 10; round++)
    expect(await Promise.all([keepTunnels('one', one, db), keepTunnels('two', two, db)])).toEqual([
      [],
      [],
    ]);
  await sql`update gateway set is_active = false where id = ${sites[0]}`.execute(db);
  expect(await keepTunnels('one', one, db)).toEqual([one[0]?.id]);
});
