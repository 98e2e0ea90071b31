import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { APPLICATION_ROLE } from '../platform/db/roles.ts';

/** Variable with the address of the test server. */
export const URL_VARIABLE = 'SALLYPORT_TEST_DATABASE_URL';
/** Variable with the superuser's address; it creates and drops databases. */
export const SETUP_URL_VARIABLE = 'SALLYPORT_TEST_SETUP_URL';
/** Variable with the data folder of the stopped server that a run of tests copies. */
export const FOLDER_VARIABLE = 'SALLYPORT_TEST_DATA_FOLDER';
/** The migrated database that tests copy. */
export const TEMPLATE = 'sallyport_template';

let setupPool: pg.Pool | undefined;

/** Runs a statement as superuser, on a connection that all tests of a worker share. */
async function onServer(setupUrl: string, statement: string): Promise<void> {
  if (setupPool?.options.connectionString !== setupUrl) {
    setupPool = new pg.Pool({ connectionString: setupUrl, max: 1, allowExitOnIdle: true });
    // The server stops before the worker exits.
    setupPool.on('error', () => undefined);
  }
  await setupPool.query(statement);
}

const OBJECT_IN_USE = '55006';

/** Returns the address of another database on the same server. */
export function databaseAt(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

/** The database of one test. */
export interface TestDatabase {
  readonly url: string;
  /** Address of the database for the superuser. */
  readonly setupUrl: string;
  drop(): Promise<void>;
}

/** Copies the migrated template, or creates an empty database. */
export async function createTestDatabase(
  kind: 'migrated' | 'empty' = 'migrated',
): Promise<TestDatabase> {
  const server = process.env[URL_VARIABLE];
  const setup = process.env[SETUP_URL_VARIABLE];
  if (!server || !setup) throw new Error('the global setup has not started a database');
  const name = `test_${randomBytes(8).toString('hex')}`;
  await onServer(
    setup,
    `create database ${name} owner ${APPLICATION_ROLE} template ${kind === 'migrated' ? TEMPLATE : 'template0'} strategy file_copy`,
  );
  return {
    url: databaseAt(server, name),
    setupUrl: databaseAt(setup, name),
    drop: () => dropWhenLeft(name, setup),
  };
}

/**
 * Drops a database. Waits some seconds for the last connections: cutting a closing connection
 * causes an unhandled error.
 */
async function dropWhenLeft(name: string, setupUrl: string): Promise<void> {
  try {
    await onServer(setupUrl, `drop database if exists ${name}`);
  } catch (error) {
    if ((error as { code?: string }).code !== OBJECT_IN_USE) throw error;
    await onServer(setupUrl, `drop database if exists ${name} with (force)`);
  }
}
