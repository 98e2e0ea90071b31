import type { Config } from '../../config.ts';
import { sql } from '../../platform/db/sql.ts';
import { type BuiltUser, buildOrganization, buildUser } from '../builders.ts';
import type { Client, Json } from '../client.ts';
import { bearer } from '../sign-in.ts';
import { startTestProgram, type TestProgram } from '../test-program.ts';
import { type DatabaseGrant, type DatabaseOptions, grantDatabase } from './grant-database.ts';
import { QueryClient } from './query-client.ts';

/** A database with a permission of the member. */
export interface GrantedDatabase extends DatabaseGrant {
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
  return {
    test,
    organization,
    administrator,
    member,
    client,
    async grant(options) {
      const granted = await grantDatabase(administrator, member.id, options);
      const { app, systemUser } = granted;
      const lastSession = async () => {
        const { rows } =
          await sql<Json>`select * from session where asset_id = ${app} order by date_start desc limit 1`.execute(
            db,
          );
        if (!rows[0]) throw new Error('there is no session');
        return rows[0];
      };
      return {
        ...granted,
        connect: (who = client) =>
          QueryClient.connect(test.program.url, { app, system_user: systemUser }, who.headers),
        lastSession,
        async commands() {
          const { rows } = await sql<Json>`
            select input, output, row_count, duration_ms, error, is_denied, verdict,
                is_by_key_tree
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
