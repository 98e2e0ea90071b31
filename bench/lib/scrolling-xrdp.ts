import {
  type PrivateXrdp,
  startPrivateXrdp,
} from '../../server/src/testing/desktops/private-xrdp.ts';
import type { Client } from './http.ts';

type User = keyof PrivateXrdp['passwords'];

/**
 * A host with xrdp. On the desktops of these users a terminal writes lines after the sign-in.
 */
export interface ScrollingXrdp extends PrivateXrdp {
  /** Returns true if all lines of a user are written. */
  hasScrolled(user: User): Promise<boolean>;
}

/** Starts one, with seconds between two lines. */
export async function startScrollingXrdp(
  lines: number,
  users: readonly User[],
  pause = 0.03,
): Promise<ScrollingXrdp> {
  const xrdp = await startPrivateXrdp();
  for (const user of users) {
    const script = `i=0; while [ $i -lt ${lines} ]; do i=$((i+1)); echo "line $i of a scroll, as wide as lines of a log are: $((i*i)) bytes in $((i*7)) ms"; sleep ${pause}; done; touch /home/${user}/scrolled; sleep 600`;
    await xrdp.inside(`cat >/home/${user}/.desktop <<'END'
#!/bin/sh
exec xterm -geometry 160x50+0+0 -e sh -c '${script}'
END
chmod 755 /home/${user}/.desktop; chown ${user} /home/${user}/.desktop`);
  }
  return {
    ...xrdp,
    hasScrolled: async (user) => (await xrdp.inside(`ls /home/${user}`)).includes('scrolled'),
  };
}

/** Makes the desktop of a user an asset that the administrator may use. */
export async function grantRdp(
  client: Client,
  { port, passwords }: Pick<PrivateXrdp, 'port' | 'passwords'>,
  user: User,
): Promise<{ readonly asset: string; readonly system_user: string }> {
  const name = `windows of ${user}`;
  const make = async (path: string, body: unknown) =>
    (await client.post<{ id: string }>(path, body)).id;
  const asset = await make('assets/assets/', {
    hostname: name,
    ip: '127.0.0.1',
    platform: 'Windows',
    protocols: [`rdp/${port}`],
  });
  const account = await make('assets/system-users/', {
    name,
    username: user,
    protocol: 'rdp',
    password: passwords[user],
    auto_push: false,
  });
  const { id: me } = await client.get<{ id: string }>('users/profile/');
  await make('perms/asset-permissions/', {
    name,
    users: [me],
    assets: [asset],
    system_users: [account],
  });
  return { asset, system_user: account };
}
