import type { DatabasePassword } from '@sallyport/contract';
import { unique } from '../builders.ts';
import type { Client, Json } from '../client.ts';

/** Properties of a database app, its system user and a permission. */
export interface DatabaseOptions {
  readonly type: 'mysql' | 'mariadb' | 'postgresql' | 'redis';
  readonly host?: string;
  readonly port: number;
  readonly database?: string;
  readonly username: string;
  readonly password?: string;
  readonly loginMode?: 'auto' | 'manual';
  /** More fields of the app: `tls`, `ca_certificate`, `domain`. */
  readonly more?: Json;
  /** More fields of the permission. */
  readonly permission?: Json;
}

/** Ids and names of a database, its system user and the permission of a member. */
export interface DatabaseGrant {
  readonly app: string;
  readonly name: string;
  readonly systemUser: string;
  readonly accountName: string;
  readonly permission: string;
}

/** Adds a database through the API, and a permission with which a member may use it. */
export async function grantDatabase(
  administrator: Client,
  member: string,
  {
    type,
    host = '127.0.0.1',
    port,
    database,
    username,
    password,
    loginMode = 'auto',
    more = {},
    permission = {},
  }: DatabaseOptions,
): Promise<DatabaseGrant> {
  const make = async (path: string, body: Json) => {
    const created = await administrator.post(path, body);
    if (created.status !== 201)
      throw new Error(`${path} was answered with ${created.status} ${created.text}`);
    return String(created.body.id);
  };
  const [name, accountName] = [unique(type), unique('account')];
  const app = await make('applications/database-apps/', {
    name,
    type,
    host,
    port,
    ...(database && { database }),
    ...more,
  });
  const systemUser = await make('assets/system-users/', {
    name: accountName,
    username,
    login_mode: loginMode,
    protocol: type === 'mariadb' ? 'mysql' : type,
    ...(password && { password }),
  });
  const rule = {
    name: unique('rule'),
    users: [member],
    database_apps: [app],
    system_users: [systemUser],
    ...permission,
  };
  return {
    app,
    name,
    systemUser,
    accountName,
    permission: await make('perms/database-app-permissions/', rule),
  };
}

/** Creates a password with which a client program of this person reaches a database. */
export async function databasePassword(
  person: Client,
  { app, systemUser }: DatabaseGrant,
): Promise<DatabasePassword> {
  const { status, body, text } = await person.post<DatabasePassword>(
    'terminal/databases/passwords/',
    { database_app: app, system_user: systemUser },
  );
  if (status !== 201) throw new Error(`no password: ${status} ${text}`);
  return body;
}
