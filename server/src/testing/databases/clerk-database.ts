import pg from 'pg';
import { unique } from '../builders.ts';
import { startSocketBridge } from '../gateway/socket-bridge.ts';
import { createTestDatabase } from '../test-database.ts';
import type { DatabaseOptions } from './grant-database.ts';

const PASSWORD = 'vault secret 9';

/** An empty PostgreSQL database with a role of few rights, at a port on loopback. */
export interface ClerkDatabase {
  /** A connection of the owner of all tables. */
  readonly owner: pg.Client;
  readonly role: string;
  /** Properties for a database app with this role. */
  readonly options: DatabaseOptions;
  stop(): Promise<void>;
}

/** Starts one. `setup` returns the SQL that makes the tables and the rights of the role. */
export async function startClerkDatabase(setup: (role: string) => string): Promise<ClerkDatabase> {
  const place = await createTestDatabase('empty');
  const role = unique('clerk').replaceAll('-', '_');
  const url = new URL(place.setupUrl);
  const bridge = await startSocketBridge(
    `${url.searchParams.get('host')}/.s.PGSQL.${url.port || 5432}`,
  );
  const owner = new pg.Client({ connectionString: place.setupUrl });
  await owner.connect();
  await owner.query(`create role ${role} login password '${PASSWORD}'; ${setup(role)}`);
  return {
    owner,
    role,
    options: {
      type: 'postgresql',
      host: '127.0.0.1',
      port: bridge.port,
      database: url.pathname.slice(1),
      username: role,
      password: PASSWORD,
    },
    async stop() {
      await owner.end();
      await bridge.stop();
      await place.drop();
      const client = new pg.Client({ connectionString: process.env.SALLYPORT_TEST_SETUP_URL });
      await client.connect();
      await client.query(`drop role if exists ${role}`).finally(() => client.end());
    },
  };
}
