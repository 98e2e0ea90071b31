import { beginSignIn } from '../../server/src/features/identity/sign-in-sessions/store.ts';
import { buildUser } from '../../server/src/testing/builders.ts';
import { openRunning } from './database.ts';
import { type Client, signedIn } from './http.ts';
import type { TargetedServer } from './target.ts';

/** A person on the target that the SSH listener names `target`. */
export interface Caller {
  readonly username: string;
}

/** Creates people who may use the target, with a public key in their profiles. */
export async function peopleWithKey(
  { server, client, ids }: Pick<TargetedServer, 'server' | 'client' | 'ids'>,
  { count, sessions, publicKey }: { count: number; sessions: number; publicKey: string },
): Promise<readonly Caller[]> {
  await client.patch('settings/setting/', { security: { SECURITY_MAX_SESSIONS: sessions } });
  const database = openRunning(server.dataDirectory);
  try {
    const users = await Promise.all(Array.from({ length: count }, () => buildUser(database.db)));
    for (const { id, password } of users) {
      const { token } = await beginSignIn(database.db, {
        userId: id,
        kind: 'bearer',
        from: { remoteAddress: '127.0.0.1', userAgent: 'bench' },
        seconds: 3_600,
      });
      const own = await signedIn(server.url, token);
      await own.put('users/profile/public-key/', { public_key: publicKey, password });
      own.close();
    }
    await client.post('perms/asset-permissions/', {
      name: 'people with a key',
      users: users.map(({ id }) => id),
      assets: [ids.asset],
      system_users: [ids.system_user],
    });
    return users.map(({ username }) => ({ username: `${username}@target@target` }));
  } finally {
    await database.close();
  }
}

/** The target and its account, the only ones of the server. */
export async function idsOf(client: Client) {
  const first = async (path: string) => {
    const { results } = await client.get<{ results: readonly { id: string }[] }>(path);
    return results[0]?.id ?? '';
  };
  return {
    asset: await first('assets/assets/?limit=1&offset=0'),
    system_user: await first('assets/system-users/?limit=1&offset=0&search=target'),
  };
}
