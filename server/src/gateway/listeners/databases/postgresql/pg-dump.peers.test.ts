import { afterAll, beforeAll, expect, test } from 'vitest';
import { startClient } from '../../../../testing/databases/client-programs.ts';
import {
  type DatabaseWorld,
  startDatabaseWorld,
} from '../../../../testing/databases/client-world.ts';
import {
  debianBinaries,
  type PostgresServer,
  startPostgres,
  VAULT_ACCOUNT,
  VAULT_PASSWORD,
} from '../../../../testing/databases/postgres-server.ts';
import { freePort } from '../../../../testing/free-port.ts';

let server: PostgresServer;
let world: DatabaseWorld;
beforeAll(async () => {
  const [port, started] = await Promise.all([freePort(), startPostgres(debianBinaries())]);
  server = started;
  world = await startDatabaseWorld({ postgresqlPort: port });
  await server.admin(`
    set role ${VAULT_ACCOUNT};
    create type state as enum ('open', 'closed');
    create table customer (
      id serial primary key, name text not null unique, "Größe" numeric(8, 2), photo bytea,
      state state default 'open', made timestamptz default '2026-01-31 08:30:00+08'
    );
    create table orders (
      id bigint generated always as identity primary key,
      customer int references customer on delete cascade,
      lines jsonb, note text check (note <> 'x')
    );
    create index orders_note on orders (lower(note));
    create view open_customer as select id, name from customer where state = 'open';
    create function total(int) returns numeric language sql
      as $$ select sum(1) from orders where customer = $1 $$;
    insert into customer (name, "Größe", photo, state)
      select '客户 ' || n, n / 7.0, decode(md5(n::text), 'hex'),
        (array['open', 'closed'])[1 + n % 2]::state
      from generate_series(1, 2000) n;
    select lo_from_bytea(0, decode(repeat('ab', 40000), 'hex'));
    insert into orders (customer, lines, note)
      select 1 + n % 2000,
        jsonb_build_object('n', n, 'text', E'tab\\t"quote"\\\\ line\\n'), E'back\\\\slash\\n' || n
      from generate_series(1, 5000) n`);
  // Target of the restored dump.
  await server.admin('create database restored');
  await server.admin(`alter database restored owner to ${VAULT_ACCOUNT}`);
});
afterAll(async () => {
  await world?.test.stop();
  await server?.stop();
});

/** Lines of a dump without its date and random guard words. */
const lines = (dump: string) =>
  dump.split('\n').filter((line) => !/^(?:--|\\(?:un)?restrict )/.test(line));

test('dumps a database like a direct connection, and restores the dump', async () => {
  const account = {
    type: 'postgresql',
    port: server.port,
    username: VAULT_ACCOUNT,
    password: VAULT_PASSWORD,
  } as const;
  const [sales, restored] = [
    await world.add({ ...account, database: 'sales' }),
    await world.add({ ...account, database: 'restored' }),
  ];
  const direct = async (database: string) => {
    const address = `host=127.0.0.1 port=${server.port} user=${VAULT_ACCOUNT} dbname=${database}`;
    return startClient('pg_dump', ['--no-password', '-d', address], { PGPASSWORD: VAULT_PASSWORD })
      .result;
  };
  const issued = await world.password(sales);
  const through = `host=127.0.0.1 port=${issued.port} user=${issued.username} dbname=sales`;
  const dump = await startClient('pg_dump', ['--no-password', '-d', through], {
    PGPASSWORD: issued.password,
  }).result;
  expect(dump.err).toBe('');
  expect(dump.out).toContain('客户 2000');
  expect(lines(dump.out)).toEqual(lines((await direct('sales')).out));

  const into = await world.password(restored);
  const address = `host=127.0.0.1 port=${into.port} user=${into.username} dbname=restored`;
  const { code, err } = await startClient(
    'psql',
    ['-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', address],
    { PGPASSWORD: into.password },
    dump.out,
  ).result;
  expect([code, err]).toEqual([0, '']);
  expect(lines((await direct('restored')).out)).toEqual(lines(dump.out));
});
