import type { DatabasePassword } from '@sallyport/contract';
import type { Config } from '../../config.ts';
import { sql } from '../../platform/db/sql.ts';
import { type BuiltUser, buildOrganization, buildUser, unique } from '../builders.ts';
import type { Client, Json } from '../client.ts';
import { bearer } from '../sign-in.ts';
import { startTestProgram, type TestProgram } from '../test-program.ts';

/** Properties of a database app and its system user. */
export interface DatabaseOptions {
  readonly type: 'postgresql' | 'mysql' | 'mariadb';
  readonly port: number;
  readonly host?: string;
  readonly database: string;
  readonly username: string;
  readonly password: string;
  /** More fields of the app: `tls`, `ca_certificate`, `domain`. */
  readonly more?: Json;
}

/** A database that a member may use. */
export interface GrantedDatabase {
  readonly app: string;
  readonly name: string;
  readonly systemUser: string;
  readonly accountName: string;
  readonly rule: string;
}

/** A program with database listeners, and a member. */
export interface DatabaseWorld {
  readonly test: TestProgram;
  readonly organization: string;
  readonly administrator: Client;
  readonly member: BuiltUser;
  readonly person: Client;
  /** Adds a database that the member may use; `rule` has more fields of the permission. */
  add(options: DatabaseOptions, rule?: Json): Promise<GrantedDatabase>;
  /** Creates a password for the member. */
  password(database: GrantedDatabase, person?: Client): Promise<DatabasePassword>;
  /** The newest session row of a database. */
  lastSession(app: string): Promise<Json>;
  /** The logged commands of a session, in order. */
  commands(session: unknown): Promise<readonly Json[]>;
  /** The file-transfer log of a database, in order: operation, name, size and reason. */
  files(app: string): Promise<readonly (readonly unknown[])[]>;
}

async function created(client: Client, path: string, body: Json): Promise<string> {
  const answer = await client.post(path, body);
  if (answer.status !== 201)
    throw new Error(`${path} was answered with ${answer.status} ${answer.text}`);
  return String(answer.body.id);
}

export async function startDatabaseWorld(changes: Partial<Config>): Promise<DatabaseWorld> {
  const test = await startTestProgram(changes);
  const { db } = test;
  const organization = await buildOrganization(db);
  const member = await buildUser(db, { memberOf: [{ organization, role: 'User' }] });
  const administrator = (await bearer(test)).inOrganization(organization);
  const person = (await bearer(test, member)).inOrganization(organization);
  return {
    test,
    organization,
    administrator,
    member,
    person,
    async add(
      { type, host = '127.0.0.1', port, database, username, password, more = {} },
      rule = {},
    ) {
      const name = unique('sales');
      const accountName = unique('account');
      const app = await created(administrator, 'applications/database-apps/', {
        name,
        type,
        host,
        port,
        database,
        ...more,
      });
      const protocol = type === 'mariadb' ? 'mysql' : type;
      const systemUser = await created(administrator, 'assets/system-users/', {
        name: accountName,
        username,
        login_mode: 'auto',
        protocol,
        password,
      });
      const granted = {
        name: unique('rule'),
        users: [member.id],
        database_apps: [app],
        system_users: [systemUser],
        ...rule,
      };
      return {
        app,
        name,
        systemUser,
        accountName,
        rule: await created(administrator, 'perms/database-app-permissions/', granted),
      };
    },
    async password({ app, systemUser }, who = person) {
      const {
        status,
        body,
        text: answer,
      } = await who.post<DatabasePassword>('terminal/databases/passwords/', {
        database_app: app,
        system_user: systemUser,
      });
      if (status !== 201) throw new Error(`no password: ${status} ${answer}`);
      return body;
    },
    async lastSession(app) {
      const { rows } =
        await sql<Json>`select * from session where asset_id = ${app} order by date_start desc limit 1`.execute(
          db,
        );
      const [row] = rows;
      if (!row) throw new Error('there is no session');
      return row;
    },
    async commands(session) {
      const { rows } = await sql<Json>`
        select input, output, risk_level, is_denied, row_count::int as row_count, duration_ms, error
          from command where session = ${session} order by sequence`.execute(db);
      return rows;
    },
    async files(app) {
      const { rows } =
        await sql<Json>`select operate, filename, size::int as size, reason from ftp_log where asset_id = ${app} order by date_start`.execute(
          db,
        );
      return rows.map(({ operate, filename, size, reason }) => [operate, filename, size, reason]);
    },
  };
}
