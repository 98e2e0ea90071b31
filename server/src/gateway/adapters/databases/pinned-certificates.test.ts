import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer as createPlainServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, TLSSocket } from 'node:tls';
import { ERRORS } from '@sallyport/contract';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type Certificates,
  EXPIRED,
  makeCertificates,
  NOT_YET_VALID,
} from '../../../testing/certificates.ts';
import { type DatabaseWorld, startDatabaseWorld } from '../../../testing/databases/client-world.ts';
import type { DatabaseOptions } from '../../../testing/databases/grant-database.ts';
import {
  type PostgresServer,
  startPostgres,
  VAULT_ACCOUNT,
  VAULT_PASSWORD,
} from '../../../testing/databases/postgres-server.ts';
import { QueryClient } from '../../../testing/databases/query-client.ts';
import { freePort } from '../../../testing/free-port.ts';

/** The certificates of the servers have this name, which is not their host. */
const ELSEWHERE = 'DNS:elsewhere.example.com';

let server: PostgresServer;
let world: DatabaseWorld;
let folder: string;
let others: Certificates;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-pinned-'));
  const [postgresqlPort, started, certificates] = await Promise.all([
    freePort(),
    startPostgres(undefined, ELSEWHERE),
    makeCertificates(folder, ELSEWHERE),
  ]);
  [server, others] = [started, certificates];
  world = await startDatabaseWorld({ postgresqlPort });
});
afterAll(async () => {
  await world?.test.stop();
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

const pem = (file: string) => readFileSync(file, 'utf8');

async function openWorkspace(options: DatabaseOptions, certificates: string): Promise<string> {
  const more = { tls: 'required', ca_certificate: certificates };
  const { app, systemUser } = await world.add({ ...options, more });
  const browser = await QueryClient.connect(
    world.test.program.url,
    { app, system_user: systemUser },
    world.person.headers,
  );
  return browser
    .message('open')
    .then(({ type }) => type, String)
    .finally(() => browser.close());
}
async function openClient(options: DatabaseOptions, certificates: string): Promise<string> {
  const more = { tls: 'required', ca_certificate: certificates };
  const {
    port,
    username: user,
    password,
  } = await world.password(await world.add({ ...options, more }));
  const client = new pg.Client({ host: '127.0.0.1', port, user, password, database: 'sales' });
  client.on('error', () => undefined);
  const opened = await client.connect().then(() => 'open', String);
  await client.end().catch(() => undefined);
  return opened;
}

it('accepts a certificate of PostgreSQL for another name only when the app has that certificate', async () => {
  const { port, database, authority, certificate } = server;
  const login = { username: VAULT_ACCOUNT, password: VAULT_PASSWORD };
  const options = { type: 'postgresql', port, database, ...login } as const;
  for (const pinned of [`${authority}\n${certificate}`, `${certificate}\n${authority}`])
    expect([await openWorkspace(options, pinned), await openClient(options, pinned)]).toEqual([
      'open',
      'open',
    ]);
  // Without the certificate, and with one for the same name of another authority.
  for (const refused of [authority, `${authority}\n${pem(others.certificate)}`]) {
    expect(await openWorkspace(options, refused)).toContain('connect_certificate_name');
    expect(await openClient(options, refused)).toContain(
      'valid certificate: it is for other names',
    );
  }
});

it('accepts a certificate of Redis for another name only when the app has that certificate', async () => {
  const redis = createServer({ cert: pem(others.certificate), key: pem(others.key) }, (socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => socket.write('+OK\r\n'));
  });
  redis.on('tlsClientError', () => undefined);
  const port = await freePort();
  await new Promise<void>((done) => redis.listen(port, '127.0.0.1', done));
  const options = { type: 'redis', port, username: 'reader', password: VAULT_PASSWORD } as const;
  const authority = pem(others.authority);
  expect(await openWorkspace(options, authority)).toContain('connect_certificate');
  expect(await openWorkspace(options, `${authority}\n${pem(others.certificate)}`)).toBe('open');
  // Every certificate is checked when the app is saved.
  await expect(openWorkspace(options, `${authority}\n${authority.slice(0, 100)}`)).rejects.toThrow(
    'not a PEM certificate',
  );
  redis.close();
});

// As Valkey 9.1.2 with its default `tls-auth-clients yes`: TLS 1.3 reports it after the handshake.
it('says that a server requires a certificate of the client', async () => {
  const own = { cert: pem(others.certificate), key: pem(others.key) };
  const demand = { ...own, ca: pem(others.authority), requestCert: true, rejectUnauthorized: true };
  const redis = createServer(demand, (socket) => socket.on('error', () => undefined));
  redis.on('tlsClientError', () => undefined);
  const postgres = createPlainServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write('S');
      const secure = new TLSSocket(socket, { ...demand, isServer: true });
      secure.on('error', () => undefined);
      secure.resume();
    });
  });
  const listen = async (listening: Server) => {
    listening.listen(0, '127.0.0.1');
    await once(listening, 'listening');
    return (listening.address() as AddressInfo).port;
  };
  const login = { username: 'reader', password: VAULT_PASSWORD };
  const certificates = `${demand.ca}\n${own.cert}`;
  const atRedis = { type: 'redis', port: await listen(redis), ...login } as const;
  const atPostgres = { type: 'postgresql', port: await listen(postgres), ...login } as const;
  expect(await openWorkspace(atRedis, certificates)).toContain('connect_client_certificate');
  expect(await openWorkspace({ ...atPostgres, database: 'sales' }, certificates)).toContain(
    'connect_client_certificate',
  );
  expect(await openClient({ ...atPostgres, database: 'sales' }, certificates)).toContain(
    'requires a certificate of the client',
  );
  redis.close();
  postgres.close();
});

it.each([
  ['has expired', EXPIRED, 'connect_certificate_expired'],
  ['is not valid yet', NOT_YET_VALID, 'connect_certificate_early'],
] as const)('says that a certificate %s, to both ways in', async (_name, days, code) => {
  const dated = await mkdtemp(join(folder, 'dated-'));
  const files = await makeCertificates(dated, undefined, days);
  const own = { cert: pem(files.certificate), key: pem(files.key) };
  const redis = createServer(own, (socket) => socket.on('error', () => undefined));
  redis.on('tlsClientError', () => undefined);
  const postgres = createPlainServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write('S');
      const secure = new TLSSocket(socket, { ...own, isServer: true });
      secure.on('error', () => undefined);
      secure.resume();
    });
  });
  const listen = async (listening: Server) => {
    listening.listen(0, '127.0.0.1');
    await once(listening, 'listening');
    return (listening.address() as AddressInfo).port;
  };
  const login = { username: 'reader', password: VAULT_PASSWORD };
  const atRedis = { type: 'redis', port: await listen(redis), ...login } as const;
  const port = await listen(postgres);
  const atPostgres = { type: 'postgresql', port, database: 'sales', ...login } as const;
  // By its authority, and pinned.
  for (const trusted of [pem(files.authority), `${pem(files.authority)}\n${own.cert}`]) {
    expect(await openWorkspace(atRedis, trusted)).toContain(code);
    expect(await openWorkspace(atPostgres, trusted)).toContain(code);
    const sentence = await openClient(atPostgres, trusted);
    const [beginning = ''] = ERRORS[code].en.split('{date}');
    expect(sentence).toContain(beginning.replaceAll('{host}', `127.0.0.1:${port}`));
    expect(sentence).toMatch(/\(valid (?:until|from) \d{4}-\d\d-\d\d \d\d:\d\d UTC\)/);
  }
  redis.close();
  postgres.close();
});
