import type { DatabasePassword } from '@sallyport/contract';
import type { Config } from '../../config.ts';
import { sql } from '../../platform/db/sql.ts';
import { type BuiltUser, buildOrganization, buildUser } from '../builders.ts';
import type { Client, Json } from '../client.ts';
import { bearer } from '../sign-in.ts';
import { startTestProgram, type TestProgram } from '../test-program.ts';
import {
  type DatabaseGrant,
  type DatabaseOptions,
  databasePassword,
  grantDatabase,
} from './grant-database.ts';

/** A program with database listeners, and a member. */
export interface DatabaseWorld {
  readonly test: TestProgram;
  readonly organization: string;
  readonly administrator: Client;
  readonly member: BuiltUser;
  readonly person: Client;
  /** Adds a database that the member may use; `permission` has more of its fields. */
  add(options: DatabaseOptions, permission?: Json): Promise<DatabaseGrant>;
  /** Creates a password for the member. */
  password(database: DatabaseGrant, person?: Client): Promise<DatabasePassword>;
  /** The newest session row of a database. */
  lastSession(app: string): Promise<Json>;
  /** The logged commands of a session, in order. */
  commands(session: unknown): Promise<readonly Json[]>;
  /** The file-transfer log of a database, in order: operation, name, size and reason. */
  files(app: string): Promise<readonly (readonly unknown[])[]>;
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
    add: (options, permission = {}) =>
      grantDatabase(administrator, member.id, { ...options, permission }),
    password: (database, who = person) => databasePassword(who, database),
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
