import { afterAll, beforeAll, it } from 'vitest';
import { useCommands } from '../../testing/command.ts';
import {
  debianBinaries,
  type PostgresServer,
  startPostgres,
} from '../../testing/databases/postgres-server.ts';
import { expectRoundTrip } from '../../testing/moves.ts';
import { requirePeers } from '../../testing/peers.ts';

const commands = useCommands();
let server: PostgresServer;

beforeAll(async () => {
  requirePeers('postgresql');
  server = await startPostgres(debianBinaries());
  await server.admin("create role sallyport login password 'secret' createdb");
  await server.admin(
    "create database sallyport owner sallyport encoding 'UTF8' lc_ctype 'C.UTF-8' template template0",
  );
});
afterAll(() => server.stop());

it('moves an installation to the PostgreSQL of Debian and back', async () => {
  await expectRoundTrip(
    commands,
    `postgresql://sallyport:secret@127.0.0.1:${server.port}/sallyport`,
  );
});
