import { sql } from 'kysely';
import { ADMIN_PASSWORD, ROOT_USER } from '../generate/sizes.ts';
import { openRunning } from '../lib/database.ts';
import { atMost, type Figure, latency } from '../lib/figure.ts';
import { signIn } from '../lib/http.ts';
import { Random } from '../lib/random.ts';
import type { World } from '../lib/world.ts';

const BUDGET = atMost(200);
const SAMPLES = 60;

/** Explanations for administrators: who reaches an asset, what a user reaches, why, and why not. */
export async function access(world: World): Promise<Figure[]> {
  const server = await world.bigServer();
  const database = openRunning(server.dataDirectory);
  const client = await signIn(server.url, 'admin', ADMIN_PASSWORD);
  try {
    const random = new Random(17);
    const ids = async (query: ReturnType<typeof sql<{ id: string }>>) => (await query.execute(database.db)).rows.map(({ id }) => id);
    const assets = await ids(sql<{ id: string }>`select id from asset order by md5(id::text) limit ${SAMPLES}`);
    const users = await ids(sql<{ id: string }>`select id from account where username <> 'admin' order by md5(id::text) limit ${SAMPLES}`);
    const [root = ''] = await ids(sql<{ id: string }>`select id from account where username = ${ROOT_USER}`);
    const times = async (path: (index: number) => string) => {
      const samples: number[] = [];
      for (let index = 0; index < SAMPLES; index++) samples.push((await client.timed(path(index))).milliseconds);
      return samples.slice(5);
    };
    return [
      ...latency('Who can reach an asset', await times((index) => `perms/access/assets/${assets[index]}/users/?limit=15`), BUDGET),
      ...latency('What a user can reach', await times((index) => `perms/access/users/${users[index]}/assets/?limit=15`), BUDGET),
      ...latency('What a user can reach, granted the root', await times((index) => `perms/access/users/${root}/assets/?limit=15&offset=${index * 15}`), BUDGET),
      ...latency('Why, or why not', await times(() => `perms/access/check/?user=${random.of(users)}&asset=${random.of(assets)}`), BUDGET),
    ];
  } finally {
    client.close();
    await database.close();
  }
}
