import { sql } from '../../server/src/platform/db/sql.ts';
import { ADMIN_PASSWORD, ROOT_USER } from '../generate/sizes.ts';
import { openRunning } from '../lib/database.ts';
import { atMost, type Figure, latency } from '../lib/figure.ts';
import { FixedQuery } from '../lib/fixed-query.ts';
import { signIn } from '../lib/http.ts';
import { Random } from '../lib/random.ts';
import type { World } from '../lib/world.ts';

const BUDGET = atMost(200);
const SAMPLES = 60;
const DAYS = [30, 90, 180];

/**
 * Explanations for administrators: users of an asset, assets of a user, reasons, effects of a
 * change, and unused permissions. A stage is a part of the name of a figure.
 */
export async function access(world: World): Promise<Figure[]> {
  const server = await world.bigServer();
  const database = openRunning(server.dataDirectory);
  const fixed = new FixedQuery(database);
  const client = await signIn(server.url, 'admin', ADMIN_PASSWORD);
  try {
    const random = new Random(17);
    const ids = async (query: ReturnType<typeof sql<{ id: string }>>) =>
      (await query.execute(database.db)).rows.map(({ id }) => id);
    const assets = await ids(
      sql<{ id: string }>`select id from asset order by md5(id::text) limit ${SAMPLES}`,
    );
    const users = await ids(
      sql<{
        id: string;
      }>`select id from account where username <> 'admin' order by md5(id::text) limit ${SAMPLES}`,
    );
    const [root = ''] = await ids(
      sql<{ id: string }>`select id from account where username = ${ROOT_USER}`,
    );
    const times = async (path: (index: number) => string) => {
      const samples: number[] = [];
      for (let index = 0; index < SAMPLES; index++) {
        await fixed.ask();
        samples.push((await client.timed(path(index))).milliseconds);
      }
      return samples.slice(5);
    };
    const foreseen = async (question: (index: number) => object) => {
      const samples: number[] = [];
      for (let index = 0; index < SAMPLES; index++) {
        await fixed.ask();
        const began = performance.now();
        await client.post('perms/consequences/', question(index));
        samples.push(performance.now() - began);
      }
      return samples;
    };
    const figure = async (name: string, run: () => Promise<number[]>) =>
      name.includes(world.stage) ? fixed.compare(latency(name, await run(), BUDGET)) : [];
    const rules = await ids(
      sql<{
        id: string;
      }>`select id from asset_permission where name <> 'Everything' order by md5(id::text) limit ${SAMPLES}`,
    );
    const [everything = ''] = await ids(
      sql<{ id: string }>`select id from asset_permission where name = 'Everything'`,
    );
    const groups = await ids(
      sql<{ id: string }>`select id from user_group order by md5(id::text) limit ${SAMPLES}`,
    );
    const nodes = await ids(
      sql<{
        id: string;
      }>`select id from node where cardinality(ancestors) = 4 order by md5(id::text) limit ${SAMPLES}`,
    );
    const accounts = await ids(
      sql<{ id: string }>`select id from system_account order by name limit 3`,
    );
    const databases = await ids(
      sql<{ id: string }>`select id from database_app order by md5(id::text) limit ${SAMPLES}`,
    );
    const [top = ''] = await ids(
      sql<{ id: string }>`select id from node where org_id = '' and parent_id is null`,
    );
    const [region = ''] = await ids(
      sql<{ id: string }>`select id from node where cardinality(ancestors) = 2 order by id limit 1`,
    );
    const saved = { action: 'save', resource: 'asset_permission', system_users: accounts };
    const figures = [
      ...(await figure('Users of an asset', () =>
        times((index) => `perms/access/assets/${assets[index]}/users/?limit=15`),
      )),
      ...(await figure('Assets of a user', () =>
        times((index) => `perms/access/users/${users[index]}/assets/?limit=15`),
      )),
      ...(await figure('Assets of a user, granted the root', () =>
        times((index) => `perms/access/users/${root}/assets/?limit=15&offset=${index * 15}`),
      )),
      ...(await figure('Users of an asset, as a tree', () =>
        times((index) => `perms/access/assets/${assets[index]}/users/tree/?limit=100`),
      )),
      ...(await figure('Assets of a user, as a tree', () =>
        times((index) => `perms/access/users/${users[index]}/assets/tree/?limit=100`),
      )),
      ...(await figure('A branch of the tree, 100,000 assets', () =>
        times(
          (index) =>
            `perms/access/permissions/${everything}/assets/?node=${top}&offset=${index * 50}`,
        ),
      )),
      ...(await figure('Reasons for access', () =>
        times(() => `perms/access/check/?user=${random.of(users)}&asset=${random.of(assets)}`),
      )),
      ...(await figure('Unused access, first page', () =>
        times((index) => `perms/access/unused/?limit=15&days=${DAYS[index % 3]}`),
      )),
      ...(await figure('Unused access, searched, by last use', () =>
        // A full number of a permission: at a million assets its members are too many to sort.
        times((index) => `perms/access/unused/?limit=100&search=0${1000 + index}&order=-last_used`),
      )),
      ...(await figure('Use of a permission', () =>
        times((index) => `perms/access/permissions/${rules[index]}/use/`),
      )),
      ...(await figure('Users of a database', () =>
        times((index) => `perms/access/database-apps/${databases[index]}/users/?limit=15`),
      )),
      ...(await figure('Reasons for access, a database', () =>
        times(
          () =>
            `perms/access/database-apps/check/?user=${random.of(users)}&database_app=${random.of(databases)}`,
        ),
      )),
      ...(await figure('Databases that a user is granted', () =>
        times((index) => `perms/users/${users[index]}/database-apps/?limit=15`),
      )),
      ...(await figure('System users of a granted database', () =>
        times(
          (index) => `perms/users/${users[index]}/database-apps/${databases[index]}/system-users/`,
        ),
      )),
      ...(await figure('Needs attention', () => times(() => 'common/attention/'))),
      ...(await figure('Preview, a permission deleted', () =>
        foreseen((index) => ({
          action: 'delete',
          resource: 'asset_permission',
          ids: [rules[index]],
        })),
      )),
      ...(await figure('Preview, a region granted to a group', () =>
        foreseen((index) => ({ ...saved, user_groups: [groups[index]], nodes: [region] })),
      )),
      ...(await figure('Preview, a group deleted', () =>
        foreseen((index) => ({
          action: 'delete',
          resource: 'user_group',
          ids: [groups[index]],
        })),
      )),
      ...(await figure('Preview, a node moved', () =>
        foreseen((index) => ({
          action: 'move',
          resource: 'node',
          ids: [nodes[index]],
          target: region,
        })),
      )),
      ...(await figure('Preview, everything granted to one user', () =>
        foreseen((index) => ({ ...saved, users: [users[index]], nodes: [top] })),
      )),
      ...(await figure('Preview, everything granted to 60 users', () =>
        foreseen(() => ({ ...saved, users, nodes: [top] })),
      )),
    ];
    return [...fixed.figures(), ...figures];
  } finally {
    client.close();
    await database.close();
  }
}
