import type { Config } from '../../config.ts';
import { sql } from '../../platform/db/sql.ts';
import { type BuiltUser, buildOrganization, buildUser, unique } from '../builders.ts';
import type { Client, Json } from '../client.ts';
import { bearer } from '../sign-in.ts';
import { startTestProgram, type TestProgram } from '../test-program.ts';
import { QueryClient } from './query-client.ts';

export interface DatabaseOptions {
  readonly type: 'mysql' | 'mariadb' | 'postgresql' | 'redis';
  readonly host: string;
  readonly port: number;
  readonly database?: string;
  readonly username: string;
  readonly password?: string;
  readonly loginMode?: 'auto' | 'manual';
  readonly more?: Json;
  readonly permission?: Json;
}

/** A database with a permission of the member. */
export interface GrantedDatabase {
  readonly app: string;
  readonly systemUser: string;
  readonly permission: string;
  /** Connects a workspace of the member. */
  connect(who?: Client): Promise<QueryClient>;
  /** The newest session row of the database. */
  lastSession(): Promise<Json>;
  /** The logged commands of that session, in order. */
  commands(): Promise<readonly Json[]>;
}

/** A program, and an organization with an administrator, a member and databases. */
export interface DatabaseWorld {
  readonly test: TestProgram;
  readonly organization: string;
  readonly administrator: Client;
  readonly member: BuiltUser;
  readonly client: Client;
  grant(options: DatabaseOptions): Promise<GrantedDatabase>;
  stop(): Promise<void>;
}

export async function startDatabaseWorld(changes: Partial<Config> = {}): Promise<DatabaseWorld> {
  const test = await startTestProgram(changes);
  const { db } = test;
  const organization = await buildOrganization(db);
  const member = await buildUser(db, { memberOf: [{ organization, role: 'User' }] });
  const administrator = (await bearer(test)).inOrganization(organization);
  const client = (await bearer(test, member)).inOrganization(organization);
  const make = async (path: string, body: object) => {
    const created = await administrator.post(path, body);
    if (created.status !== 201)
      throw new Error(`${path} was answered with ${created.status} ${created.text}`);
    return String(created.body.id);
  };
  return {
    test,
    organization,
    administrator,
    member,
    client,
    async grant({
      type,
      host,
      port,
      database,
      username,
      password,
      loginMode = 'auto',
      more = {},
      permission = {},
    }) {
      const app = await make('applications/database-apps/', {
        name: unique(type),
        type,
        host,
        port,
        ...(database && { database }),
        ...more,
      });
      const protocol = type === 'mariadb' ? 'mysql' : type;
      const systemUser = await make('assets/system-users/', {
        name: unique('account'),
        username,
        login_mode: loginMode,
        protocol,
        ...(password && { password }),
      });
      const rule = await make('perms/database-app-permissions/', {
        name: unique('rule'),
        users: [member.id],
        database_apps: [app],
        system_users: [systemUser],
        ...permission,
      });
      const lastSession = async () => {
        const { rows } =
          await sql<Json>`select * from session where asset_id = ${app} order by date_start desc limit 1`.execute(
            db,
          );
        if (!rows[0]) throw new Error('there is no session');
        return rows[0];
      };
      return {
        app,
        systemUser,
        permission: rule,
        connect: (who = client) =>
          QueryClient.connect(test.program.url, { app, system_user: systemUser }, who.headers),
        lastSession,
        async commands() {
          const { rows } = await sql<Json>`
            select input, output, row_count, duration_ms, error, is_denied, is_by_key_tree
              from command where session = ${(await lastSession()).id} order by sequence`.execute(
            db,
          );
          return rows;
        },
      };
    },
    stop: () => test.stop(),
  };
}
