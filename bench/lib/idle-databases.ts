import type { DatabasePassword } from '@sallyport/contract';
import pg from 'pg';
import { atMost, type Figure } from './figure.ts';
import type { Client } from './http.ts';
import { memoryOfIdle } from './idle-memory.ts';
import type { BenchServer } from './server.ts';

interface IdleDatabases {
  readonly server: BenchServer;
  readonly client: Client;
  /** The PostgreSQL server, and the account of the vault there. */
  readonly port: number;
  readonly account: string;
  readonly password: string;
  readonly count: number;
}

/** Measures the memory of idle PostgreSQL clients, recorded and behind the listener. */
export async function idleDatabases({
  server,
  client,
  port,
  account,
  password,
  count,
}: IdleDatabases): Promise<Figure> {
  const make = async (path: string, body: unknown) =>
    (await client.post<{ id: string }>(path, body)).id;
  const app = await make('applications/database-apps/', {
    name: 'sales',
    type: 'postgresql',
    host: '127.0.0.1',
    port,
    database: 'sales',
  });
  const user = await make('assets/system-users/', {
    name: 'sales',
    username: account,
    login_mode: 'auto',
    protocol: 'postgresql',
    password,
  });
  const { id: me } = await client.get<{ id: string }>('users/profile/');
  await make('perms/database-app-permissions/', {
    name: 'sales',
    users: [me],
    database_apps: [app],
    system_users: [user],
  });
  const open = async () => {
    const password = await client.post<DatabasePassword>('terminal/databases/passwords/', {
      database_app: app,
      system_user: user,
    });
    const one = new pg.Client({
      host: '127.0.0.1',
      port: password.port,
      user: password.username,
      password: password.password,
      database: 'sales',
    });
    // The server ends them all when it stops.
    one.on('error', () => undefined);
    await one.connect();
    await one.query('select 1');
    return one;
  };
  // The first one loads what all others share.
  await (await open()).end();
  const clients: pg.Client[] = [];
  const memory = await memoryOfIdle({ server, count, open, into: clients });
  for (const one of clients) await one.end();
  return {
    name: `Memory for each of ${count} idle database sessions`,
    value: memory.each,
    unit: 'KiB',
    budget: atMost(1_024),
    note: 'growth of resident memory; PostgreSQL through the listener, one statement each',
  };
}
