import { sql } from '../../server/src/platform/db/sql.ts';
import { ADMIN_PASSWORD, ROOT_USER } from '../generate/sizes.ts';
import { openRunning } from '../lib/database.ts';
import { atMost, type Figure, latency } from '../lib/figure.ts';
import { signIn } from '../lib/http.ts';
import { Random } from '../lib/random.ts';
import type { World } from '../lib/world.ts';

const BUDGET = atMost(200);
const SAMPLES = 60;
const DAYS = [30, 90, 180];

/**
 * Explanations for administrators: users of an asset, assets of a user, reasons, effects of a
 * change, and unused permissions.
 */
export async function access(world: World): Promise<Figure[]> {
  const server = await world.bigServer();
  const database = openRunning(server.dataDirectory);
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
      for (let index = 0; index < SAMPLES; index++)
        samples.push((await client.timed(path(index))).milliseconds);
      return samples.slice(5);
    };
    const foreseen = async (question: (index: number) => object) => {
      const samples: number[] = [];
      for (let index = 0; index < SAMPLES; index++) {
        const began = performance.now();
        await client.post('perms/consequences/', question(index));
        samples.push(performance.now() - began);
      }
      return samples;
    };
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
    return [
      ...latency(
        'Users of an asset',
        await times((index) => `perms/access/assets/${assets[index]}/users/?limit=15`),
        BUDGET,
      ),
      ...latency(
        'Assets of a user',
        await times((index) => `perms/access/users/${users[index]}/assets/?limit=15`),
        BUDGET,
      ),
      ...latency(
        'Assets of a user, granted the root',
        await times((index) => `perms/access/users/${root}/assets/?limit=15&offset=${index * 15}`),
        BUDGET,
      ),
      ...latency(
        'Users of an asset, as a tree',
        await times((index) => `perms/access/assets/${assets[index]}/users/tree/?limit=100`),
        BUDGET,
      ),
      ...latency(
        'Assets of a user, as a tree',
        await times((index) => `perms/access/users/${users[index]}/assets/tree/?limit=100`),
        BUDGET,
      ),
      ...latency(
        'A branch of the tree, 100,000 assets',
        await times(
          (index) =>
            `perms/access/permissions/${everything}/assets/?node=${top}&offset=${index * 50}`,
        ),
        BUDGET,
      ),
      ...latency(
        'Reasons for access',
        await times(
          () => `perms/access/check/?user=${random.of(users)}&asset=${random.of(assets)}`,
        ),
        BUDGET,
      ),
      ...latency(
        'Unused access, first page',
        await times((index) => `perms/access/unused/?limit=15&days=${DAYS[index % 3]}`),
        BUDGET,
      ),
      ...latency(
        'Unused access, searched, by last use',
        await times((index) => `perms/access/unused/?limit=100&search=${index}&order=-last_used`),
        BUDGET,
      ),
      ...latency(
        'Use of a permission',
        await times((index) => `perms/access/permissions/${rules[index]}/use/`),
        BUDGET,
      ),
      ...latency(
        'Users of a database',
        await times((index) => `perms/access/database-apps/${databases[index]}/users/?limit=15`),
        BUDGET,
      ),
      ...latency(
        'Reasons for access, a database',
        await times(
          () =>
            `perms/access/database-apps/check/?user=${random.of(users)}&database_app=${random.of(databases)}`,
        ),
        BUDGET,
      ),
      ...latency(
        'Databases that a user is granted',
        await times((index) => `perms/users/${users[index]}/database-apps/?limit=15`),
        BUDGET,
      ),
      ...latency(
        'System users of a granted database',
        await times(
          (index) => `perms/users/${users[index]}/database-apps/${databases[index]}/system-users/`,
        ),
        BUDGET,
      ),
      ...latency('Needs attention', await times(() => 'common/attention/'), BUDGET),
      ...latency(
        'Preview, a permission deleted',
        await foreseen((index) => ({
          action: 'delete',
          resource: 'asset_permission',
          ids: [rules[index]],
        })),
        BUDGET,
      ),
      ...latency(
        'Preview, a region granted to a group',
        await foreseen((index) => ({ ...saved, user_groups: [groups[index]], nodes: [region] })),
        BUDGET,
      ),
      ...latency(
        'Preview, a group deleted',
        await foreseen((index) => ({
          action: 'delete',
          resource: 'user_group',
          ids: [groups[index]],
        })),
        BUDGET,
      ),
      ...latency(
        'Preview, a node moved',
        await foreseen((index) => ({
          action: 'move',
          resource: 'node',
          ids: [nodes[index]],
          target: region,
        })),
        BUDGET,
      ),
      ...latency(
        'Preview, everything granted to one user',
        await foreseen((index) => ({ ...saved, users: [users[index]], nodes: [top] })),
        BUDGET,
      ),
      ...latency(
        'Preview, everything granted to 60 users',
        await foreseen(() => ({ ...saved, users, nodes: [top] })),
        BUDGET,
      ),
    ];
  } finally {
    client.close();
    await database.close();
  }
}
