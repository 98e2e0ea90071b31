import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  debianBinaries,
  type PostgresServer,
  startPostgres,
} from '../databases/postgres-server.ts';
import { requirePeers } from '../peers.ts';
import { prepareDatabase } from '../template-server.ts';
import { checkStatements } from './check.ts';
import { isProduct, isUnknown } from './product.ts';
import { SourceTree } from './source-tree.ts';

let server: PostgresServer;
let client: pg.Client;
let sources: SourceTree;
beforeAll(async () => {
  requirePeers('postgresql');
  server = await startPostgres(debianBinaries());
  await server.admin("create role sallyport login password 'secret'");
  await server.admin('create database sallyport owner sallyport');
  const url = `postgresql://sallyport:secret@127.0.0.1:${server.port}/sallyport`;
  await prepareDatabase(url);
  client = new pg.Client({ connectionString: url });
  await client.connect();
  sources = new SourceTree('server/tsconfig.json', isProduct);
});
afterAll(async () => {
  sources?.close();
  await client?.end();
  await server?.stop();
});

// PostgreSQL 15 of Debian 12: the oldest release that the guide names.
it('prepares every statement on the PostgreSQL of Debian', async () => {
  const { statements, problems } = await checkStatements(sources, isProduct, client);
  expect(statements).toBeGreaterThan(1_000);
  expect(problems.filter(isUnknown)).toEqual([]);
});
