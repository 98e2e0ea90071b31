import { unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { DesktopClient, type RawScreen, recordsOf, replayed } from './desktop-client.ts';
import type { TestXvnc } from './xvnc.ts';

/** A desktop that a permission gives. */
export interface GrantedDesktop {
  readonly asset: string;
  readonly system_user: string;
}

/** The address of sockets of a server. */
export const socketsOf = (url: string): string => url.replace(/^http/, 'ws').replace(/\/$/, '');

/** Makes a VNC server of this machine a desktop that a user may open. */
export async function grantDesktop(
  administrator: Client,
  user: string,
  { port, password }: Pick<TestXvnc, 'port' | 'password'>,
): Promise<GrantedDesktop> {
  const make = async (path: string, body: Json) => {
    const made = await administrator.post<Json>(path, body);
    if (made.status !== 201)
      throw new Error(`${path} was answered with ${made.status} ${made.text}`);
    return String(made.body.id);
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

/** Opens a desktop as somebody, and names its session. */
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

/** The picture at the end of a session's recording, as somebody reads it over HTTP. */
export async function recordedPicture(reader: Client, session: string): Promise<RawScreen> {
  const path = `/api/v1/terminal/sessions/${session}/replay/file/`;
  const answer = await fetch(new URL(path, reader.url), { headers: { ...reader.headers } });
  if (answer.status !== 200) throw new Error(`the recording was answered with ${answer.status}`);
  return replayed(recordsOf(Buffer.from(await answer.arrayBuffer())));
}
