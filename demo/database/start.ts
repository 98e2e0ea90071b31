import { join } from 'node:path';
import pg from 'pg';
import { embeddedUrl } from '../../server/src/platform/db/embedded.ts';
import { DATABASE } from '../../server/src/platform/db/roles.ts';
import { socketPath } from '../../server/src/platform/db/socket-folder.ts';
import { readSample } from '../files.ts';
import { inLanguage } from '../language.ts';
import { type Bridge, startBridge } from './bridge.ts';

/** Role and database of demo users. */
export const SHOP_ROLE = 'demo_shop';
export const SHOP_DATABASE = 'demo_shop';
const SOCKET_FILE = '.s.PGSQL.5432';
const MOST_CONNECTIONS = 20;

export interface DemoDatabaseOptions {
  readonly dataDirectory: string;
  /** Port of the last start. */
  readonly port: number | undefined;
  readonly password: string;
}

/**
 * Creates a shop in a separate database of the embedded PostgreSQL, and opens a loopback port for
 * its role.
 */
export async function startDemoDatabase({
  dataDirectory,
  port,
  password,
}: DemoDatabaseOptions): Promise<Bridge> {
  await prepare(dataDirectory, password);
  const options = {
    socketFile: join(socketPath(dataDirectory), SOCKET_FILE),
    role: SHOP_ROLE,
    database: SHOP_DATABASE,
  };
  try {
    return await startBridge({ ...options, port: port ?? 0 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return startBridge({ ...options, port: 0 });
  }
}

async function prepare(dataDirectory: string, password: string): Promise<void> {
  const url = new URL(embeddedUrl(dataDirectory, 'setup'));
  await connected(url.href, async (setup) => {
    const { rows: roles } = await setup.query('select 1 from pg_roles where rolname = $1', [
      SHOP_ROLE,
    ]);
    if (roles.length === 0)
      await setup.query(`create role ${SHOP_ROLE} login connection limit ${MOST_CONNECTIONS}`);
    await setup.query(`alter role ${SHOP_ROLE} password ${setup.escapeLiteral(password)}`);
    // The role owns its database and must not connect to the product's.
    await setup.query(`revoke connect, temporary on database ${DATABASE}, template1 from public`);
    const { rows: databases } = await setup.query('select 1 from pg_database where datname = $1', [
      SHOP_DATABASE,
    ]);
    if (databases.length === 0) {
      await setup.query(`create database ${SHOP_DATABASE} owner ${SHOP_ROLE}`);
      await setup.query(`revoke connect, temporary on database ${SHOP_DATABASE} from public`);
    }
  });
  url.pathname = `/${SHOP_DATABASE}`;
  url.username = SHOP_ROLE;
  url.password = password;
  await connected(url.href, async (shop) => {
    const { rows } = await shop.query(
      `select to_regclass('public.orders') is not null as "isFilled"`,
    );
    if (!rows[0]?.isFilled)
      await shop.query(`begin; ${inLanguage(readSample('database/shop.sql'))} commit`);
  });
}

async function connected(
  connectionString: string,
  work: (client: pg.Client) => Promise<void>,
): Promise<void> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
