import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type DatabaseWorld,
  startDatabaseWorld,
} from '../../../testing/databases/database-world.ts';
import {
  type PostgresServer,
  startPostgres,
  VAULT_ACCOUNT,
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

it('ends the workspace when a function of PostgreSQL changes the character set', async () => {
  const { port, database, admin } = server;
  await admin(
    "create function shift() returns text language sql as $$ select set_config('client_' || 'encoding', 'SJIS', false) $$",
  );
  const granted = await world.grant({
    ...{ type: 'postgresql', host: '127.0.0.1', port, database },
    ...{ username: VAULT_ACCOUNT, password: VAULT_PASSWORD },
  });
  const client = await granted.connect();
  await client.message('open');
  client.send({ type: 'run', run: 1, text: 'select shift()' });
  expect(await client.message('closed')).toMatchObject({ type: 'closed' });
});
