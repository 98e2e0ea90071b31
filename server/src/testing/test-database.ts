import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** Where the global setup tells the address of its server. */
export const URL_VARIABLE = 'SALLYPORT_TEST_DATABASE_URL';
/** The migrated database that others are copied from. */
export const TEMPLATE = 'sallyport_template';

const OBJECT_IN_USE = '55006';

/** The address of another database on the same server. */
export function databaseAt(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

/** A database of a test's own. */
export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** Copies the migrated template, or makes an empty database. */
export async function createTestDatabase(kind: 'migrated' | 'empty' = 'migrated'): Promise<TestDatabase> {
  const server = process.env[URL_VARIABLE];
  if (!server) throw new Error('the global setup has not started a database');
  const name = `test_${randomBytes(8).toString('hex')}`;
  const onServer = async (statement: string) => {
    const client = new pg.Client({ connectionString: server });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  await onServer(`create database ${name} template ${kind === 'migrated' ? TEMPLATE : 'template0'} strategy file_copy`);
  return { url: databaseAt(server, name), drop: () => dropWhenLeft(name, onServer) };
}

/** Drops a database; PostgreSQL gives the last connections some seconds to close, for cutting one off in its goodbye would be an error nobody hears. */
async function dropWhenLeft(name: string, onServer: (statement: string) => Promise<void>): Promise<void> {
  try {
    await onServer(`drop database if exists ${name}`);
  } catch (error) {
    if ((error as { code?: string }).code !== OBJECT_IN_USE) throw error;
    await onServer(`drop database if exists ${name} with (force)`);
  }
}
