import { unique } from '../builders.ts';
import type { Client, Json } from '../client.ts';
import { DesktopClient, type RawScreen, recordsOf, replayed } from './desktop-client.ts';
import type { TestXvnc } from './xvnc.ts';

/** A desktop with a permission. */
export interface GrantedDesktop {
  readonly asset: string;
  readonly system_user: string;
}

/** Base URL of a server's sockets. */
export const socketsOf = (url: string): string => url.replace(/^http/, 'ws').replace(/\/$/, '');

/** Creates an asset for a local VNC server, with a permission for a user. */
export async function grantDesktop(
  administrator: Client,
  user: string,
  { port, password }: Pick<TestXvnc, 'port' | 'password'>,
): Promise<GrantedDesktop> {
  const make = async (path: string, body: Json) => {
    const created = await administrator.post<Json>(path, body);
    if (created.status !== 201)
      throw new Error(`${path} was answered with ${created.status} ${created.text}`);
    return String(created.body.id);
  };
  await make('assets/admin-users/', { name: unique('admin'), username: 'root', password: 'x' });
  const asset = await make('assets/assets/', {
    hostname: unique('desktop'),
    ip: '127.0.0.1',
    protocols: [`vnc/${port}`],
    platform: 'Linux',
  });
  const account = {
    name: unique('account'),
    username: '',
    protocol: 'vnc',
    password,
    auto_push: false,
  };
  const systemUser = await make('assets/system-users/', account);
  await make('perms/asset-permissions/', {
    name: unique('rule'),
    users: [user],
    assets: [asset],
    system_users: [systemUser],
  });
  return { asset, system_user: systemUser };
}

/** Opens a desktop as a user; returns its session id. */
export async function openDesktop(
  url: string,
  desktop: GrantedDesktop,
  person: Client,
): Promise<{ readonly client: DesktopClient; readonly session: string }> {
  const client = await DesktopClient.connect(socketsOf(url), desktop, person.headers);
  const { session } = await client.wire.message('open');
  client.start();
  return { client, session };
}

/** Downloads a session's recording, and returns its final picture. */
export async function recordedPicture(reader: Client, session: string): Promise<RawScreen> {
  const path = `/api/v1/terminal/sessions/${session}/replay/file/`;
  const answer = await fetch(new URL(path, reader.url), { headers: { ...reader.headers } });
  if (answer.status !== 200) throw new Error(`the recording was answered with ${answer.status}`);
  return replayed(recordsOf(Buffer.from(await answer.arrayBuffer())));
}
