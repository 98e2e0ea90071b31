import pg from 'pg';
import { APPLICATION_ROLE } from '../platform/db/roles.ts';
import { type CuttingProxy, startCuttingProxy, throughPort } from './cutting-proxy.ts';
import { until } from './poll.ts';
import { createTestDatabase, databaseAt, type TestDatabase } from './test-database.ts';

/** A database behind a proxy that can go back to an earlier state, as by a failover. */
export interface EarlierDatabase {
  /** Address through the proxy. */
  readonly url: string;
  readonly proxy: CuttingProxy;
  /** Remembers the current state, as a standby that stops to follow. */
  remember(): Promise<void>;
  /** Cuts all connections, and continues with the remembered state. */
  goBack(): Promise<void>;
  /** Runs a statement as superuser, without the proxy. */
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  drop(): Promise<void>;
}

/** Puts the proxy before a database; by default before a new one for one test program. */
export async function createEarlierDatabase(given?: TestDatabase): Promise<EarlierDatabase> {
  const database = given ?? (await createTestDatabase());
  const name = new URL(database.url).pathname.slice(1);
  const { path, at } = throughPort(database.url);
  const proxy = await startCuttingProxy({ path });
  const run = async <Row extends pg.QueryResultRow>(
    url: string,
    text: string,
    values: readonly unknown[] = [],
  ) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<Row>(text, [...values])).rows;
    } finally {
      await client.end();
    }
  };
  const onServer = (text: string) => run(databaseAt(database.setupUrl, 'postgres'), text);
  const alone = async (work: () => Promise<unknown>) => {
    proxy.cut();
    await until(async () => {
      const others = await onServer(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
      );
      return others.length === 0;
    }, 'the connections to the database are closed');
    await work();
    proxy.restore();
  };
  return {
    url: at(proxy.port),
    proxy,
    remember: () =>
      alone(() =>
        onServer(
          `create database ${name}_earlier owner ${APPLICATION_ROLE} template ${name} strategy file_copy`,
        ),
      ),
    goBack: () =>
      alone(async () => {
        await onServer(`drop database if exists ${name}_lost with (force)`);
        await onServer(`alter database ${name} rename to ${name}_lost`);
        await onServer(`alter database ${name}_earlier rename to ${name}`);
      }),
    query: (text, values) => run(database.setupUrl, text, values),
    async drop() {
      await proxy.stop();
      for (const suffix of ['_lost', '_earlier'])
        await onServer(`drop database if exists ${name}${suffix} with (force)`);
      await database.drop();
    },
  };
}
