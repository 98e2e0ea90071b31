import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type DatabaseWorld,
  startDatabaseWorld,
} from '../../../testing/databases/database-world.ts';
import {
  type PostgresServer,
  startPostgres,
  VAULT_PASSWORD,
} from '../../../testing/databases/postgres-server.ts';

let world: DatabaseWorld;
let server: PostgresServer;
beforeAll(async () => {
  [world, server] = await Promise.all([startDatabaseWorld(), startPostgres()]);
});
afterAll(async () => {
  await world?.stop();
  await server?.stop();
});

// The method `password` of pg_hba.conf; `ldap`, `pam` and `radius` ask in the same way.
it('rejects a PostgreSQL server that asks for the password in plain text without TLS', async () => {
  const { port, database } = server;
  const plain = { type: 'postgresql', host: '127.0.0.1', port, database } as const;
  const granted = await world.grant({ ...plain, username: 'plain', password: VAULT_PASSWORD });
  await expect((await granted.connect()).message('open')).rejects.toThrow('connect_plain_password');
});
