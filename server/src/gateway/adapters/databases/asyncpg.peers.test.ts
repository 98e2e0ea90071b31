import { afterAll, beforeAll, expect, it } from 'vitest';
import { startClient } from '../../../testing/databases/client-programs.ts';
import { type DatabaseWorld, startDatabaseWorld } from '../../../testing/databases/client-world.ts';
import {
  type PostgresServer,
  startPostgres,
  VAULT_ACCOUNT,
  VAULT_PASSWORD,
} from '../../../testing/databases/postgres-server.ts';
import { freePort } from '../../../testing/free-port.ts';
import { requirePeers } from '../../../testing/peers.ts';

requirePeers('python3-asyncpg');

let server: PostgresServer;
let world: DatabaseWorld;
beforeAll(async () => {
  const [port, started] = await Promise.all([freePort(), startPostgres()]);
  server = started;
  world = await startDatabaseWorld({ postgresqlPort: port });
  await server.admin('create table copied (id int, name text); grant all on copied to public');
});
afterAll(async () => {
  await world?.test.stop();
  await server?.stop();
});

const PROGRAM = `
import asyncio, asyncpg, os
async def main():
    connection = await asyncpg.connect(
        host="127.0.0.1", port=int(os.environ["TEST_PORT"]),
        user=os.environ["TEST_USER"], password=os.environ["TEST_PASSWORD"], database="sales")
    records = [(n, f"name {n}") for n in range(5000)]
    print(await connection.copy_records_to_table("copied", records=records))
    try:
        await connection.copy_records_to_table("missing", records=[(1,)])
    except asyncpg.UndefinedTableError:
        print("missing")
    print(await connection.fetchval("select count(*) from copied"))
    await connection.close()
asyncio.run(main())
`;

it('copies records with asyncpg, which sends them before the server has answered', async () => {
  const account = {
    type: 'postgresql',
    port: server.port,
    database: 'sales',
    username: VAULT_ACCOUNT,
    password: VAULT_PASSWORD,
  } as const;
  const { port, username, password } = await world.password(await world.add(account));
  const facts = { TEST_PORT: String(port), TEST_USER: username, TEST_PASSWORD: password };
  const { code, out, err } = await startClient('/usr/bin/python3', ['-c', PROGRAM], facts).result;
  expect([code, out, err]).toEqual([0, 'COPY 5000\nmissing\n5000\n', '']);
});
