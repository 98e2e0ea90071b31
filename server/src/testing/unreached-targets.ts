import { unique } from './builders.ts';
import type { Client, Json } from './client.ts';
import { grantDatabase } from './databases/grant-database.ts';
import { QueryClient } from './databases/query-client.ts';
import { DesktopClient } from './desktops/desktop-client.ts';
import { socketsOf } from './desktops/desktop-world.ts';
import { TerminalClient } from './terminals/terminal-client.ts';

/** Nothing listens here. */
const PORT = 9;
const ACCOUNT = { username: 'app', password: 'app', auto_push: false };

interface Browsing {
  readonly url: string;
  /** Grants the targets. */
  readonly administrator: Client;
  /** Id and requests of the user of the browser. */
  readonly userId: string;
  readonly person: Client;
}

type Way = () => Promise<string>;

/**
 * Grants targets of the protocols that open in a browser. Returns functions that open each target
 * and return the refusal as JSON.
 */
export async function browseUnreachedTargets({
  url,
  administrator,
  userId,
  person,
}: Browsing): Promise<Readonly<Record<string, Way>>> {
  const make = async (path: string, body: Json) => {
    const { status, text, body: made } = await administrator.post<Json>(path, body);
    if (status !== 201) throw new Error(`${path} was answered with ${status} ${text}`);
    return String(made.id);
  };
  const grantAsset = async (protocol: string, platform: string) => {
    const asset = await make('assets/assets/', {
      hostname: unique(protocol),
      ip: '127.0.0.1',
      protocols: [`${protocol}/${PORT}`],
      platform,
    });
    const account = { ...ACCOUNT, name: unique('account'), protocol };
    const systemUser = await make('assets/system-users/', account);
    const rule = { users: [userId], assets: [asset], system_users: [systemUser] };
    await make('perms/asset-permissions/', { name: unique('rule'), ...rule });
    return { asset, system_user: systemUser };
  };
  const refusalAt = async (client: TerminalClient) => {
    const closed = await client.message('closed');
    client.socket.terminate();
    return JSON.stringify(closed);
  };
  const ways: Record<string, Way> = {};
  const telnet = await grantAsset('telnet', 'Linux');
  ways.telnet = async () =>
    refusalAt(await TerminalClient.connect(socketsOf(url), telnet, person.headers));
  for (const [protocol, platform] of [
    ['rdp', 'Windows'],
    ['vnc', 'Linux'],
  ] as const) {
    const desktop = await grantAsset(protocol, platform);
    ways[protocol] = async () =>
      refusalAt((await DesktopClient.connect(socketsOf(url), desktop, person.headers)).wire);
  }
  for (const type of ['mysql', 'redis'] as const) {
    const { app, systemUser } = await grantDatabase(administrator, userId, {
      type,
      port: PORT,
      ...(type === 'mysql' && { database: 'sales' }),
      username: 'app',
      password: 'app',
    });
    ways[type] = async () => {
      const client = await QueryClient.connect(
        url,
        { app, system_user: systemUser },
        person.headers,
      );
      const answer = await client.message('open').then(() => 'open', String);
      client.socket.terminate();
      return answer;
    };
  }
  return ways;
}
