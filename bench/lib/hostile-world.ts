import { generateSshKeyPair, parseKey } from '@sallyport/ssh';
import { ADMIN_PASSWORD } from '../generate/sizes.ts';
import type { GrantedTarget, HostileClientsOptions } from './hostile-clients-process.ts';
import type { HostileTarget, MeasuredProtocol } from './hostile-targets-process.ts';
import type { Client } from './http.ts';
import { type PartProcess, startPart } from './part-process.ts';
import type { TargetedServer } from './target.ts';

const DATABASES: ReadonlySet<string> = new Set(['postgresql', 'mysql', 'redis']);
/** Ends that the user or the stop of the measure causes, whatever the target does. */
const BY_USER: ReadonlySet<string> = new Set(['session_finished', 'connect_cancelled']);

/** Grants a target to the administrator. */
async function grant(client: Client, protocol: MeasuredProtocol, target: HostileTarget) {
  const { name, port, username, password } = target;
  const make = async (path: string, body: unknown) =>
    (await client.post<{ id: string }>(path, body)).id;
  const isDatabase = DATABASES.has(protocol);
  const through = protocol === 'sftp' ? 'ssh' : protocol.replace(' handshakes', '');
  const app = isDatabase
    ? await make('applications/database-apps/', {
        name,
        type: protocol,
        host: '127.0.0.1',
        port,
        ...(protocol !== 'redis' && { database: 'sales' }),
      })
    : await make('assets/assets/', {
        hostname: name,
        ip: '127.0.0.1',
        platform: protocol === 'rdp' ? 'Windows' : 'Linux',
        protocols: [`${through}/${port}`],
      });
  const account = await make('assets/system-users/', {
    name,
    username,
    protocol: through,
    password,
    auto_push: false,
    ...(protocol === 'sftp' && { sftp_root: 'home' }),
  });
  const { id: me } = await client.get<{ id: string }>('users/profile/');
  const kind = isDatabase ? 'database_apps' : 'assets';
  await make(`perms/${isDatabase ? 'database-app' : 'asset'}-permissions/`, {
    name,
    users: [me],
    [kind]: [app],
    system_users: [account],
  });
  const ids = { [isDatabase ? 'app' : 'asset']: app, system_user: account };
  return { ids, login: `admin@${name}@${name}` } satisfies GrantedTarget;
}

/** Starts users of targets. */
export async function startUsers(
  { server, client }: TargetedServer,
  protocol: MeasuredProtocol,
  targets: readonly HostileTarget[],
  count: number,
): Promise<PartProcess<unknown>> {
  const granted: GrantedTarget[] = [];
  for (const target of targets) granted.push(await grant(client, protocol, target));
  const { private: privateKey } = generateSshKeyPair('bench');
  if (protocol === 'sftp') {
    const key = parseKey(privateKey);
    if (key instanceof Error) throw key;
    await client.put('users/profile/public-key/', {
      public_key: `ssh-ed25519 ${key.getPublicSSH().toString('base64')}`,
      password: ADMIN_PASSWORD,
    });
  }
  const options: HostileClientsOptions = {
    protocol,
    url: server.url,
    token: client.token,
    sshPort: server.sshPort,
    privateKey,
    targets: granted,
    count,
  };
  return startPart('hostile-clients-process.ts', options);
}

/** Counts ended sessions of targets with a known reason, and returns ends with another reason. */
export async function wrongEnds(
  client: Client,
  targets: readonly HostileTarget[],
): Promise<{ readonly ended: number; readonly wrong: readonly string[] }> {
  const expected = new Map(targets.map(({ name, reason }) => [name, reason]));
  const rows = await client.get<readonly { asset: string; end_reason: string | null }[]>(
    'terminal/sessions/?is_finished=true',
  );
  const ended = rows.filter(({ asset }) => expected.get(asset) !== undefined);
  const wrong = ended
    .map(({ asset, end_reason: reason }) => [asset, reason ?? '', expected.get(asset)] as const)
    .filter(([, reason, wanted]) => wanted && reason !== wanted && !BY_USER.has(reason))
    .map(([asset, reason, wanted]) => `${asset}: ${reason} instead of ${wanted}`);
  return { ended: ended.length, wrong: [...new Set(wrong)] };
}
