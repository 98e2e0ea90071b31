import { type IncomingMessage, request } from 'node:http';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../platform/db/sql.ts';
import type { Client } from '../testing/client.ts';
import { until } from '../testing/poll.ts';
import { bearer } from '../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../testing/test-program.ts';
import { createApp } from './app.ts';
import { publicRoute } from './route.ts';

let test: TestProgram;
let admin: Client;
/** Another database client, which holds a lock. */
let other: pg.Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
  await admin.post('assets/labels/', { name: 'a', value: 'b' });
  other = new pg.Client({
    connectionString: test.program.database.pool.options.connectionString ?? '',
  });
  await other.connect();
});
afterAll(async () => {
  await other.end();
  await test.stop();
});
beforeEach(() =>
  other.query('begin; lock table label in access exclusive mode').then(() => undefined),
);
afterEach(() => other.query('rollback').then(() => undefined));

/** Returns the number of server sessions that wait for the lock of this test. */
async function countWaiting(): Promise<number> {
  const { rows } = await other.query(
    `select count(*)::integer as count from pg_stat_activity where datname = current_database() and application_name = 'sallyport' and pg_backend_pid() = any (pg_blocking_pids(pid))`,
  );
  return rows[0].count;
}

/** Inserts labels of a kilobyte: a file of them exceeds what sockets take without a reader. */
const insertLargeLabels = (name: string, count: number) =>
  sql`insert into label (name, value, comment)
    select ${name}, 'value ' || i, repeat('x', 1000) from generate_series(1, ${count}::integer) i`.execute(
    test.db,
  );

/** Sends a request and disconnects while the database works on it. */
async function askAndLeave(method: string, path: string, body?: unknown): Promise<void> {
  const leaving = new AbortController();
  const answer = fetch(new URL(path, test.program.url), {
    method,
    signal: leaving.signal,
    headers: {
      ...admin.headers,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch((error: unknown) => error);
  // A page and the estimate of its total are asked for at the same time.
  await until(async () => (await countWaiting()) > 0, 'a query waits');
  leaving.abort();
  await answer;
}

describe('a client that goes away', () => {
  it.each([
    '/api/v1/assets/labels/',
    '/api/v1/assets/labels/?limit=15',
    '/api/v1/assets/labels/?format=csv',
    '/api/v1/assets/labels/?search=a',
  ])('stops the query of GET %s', async (path) => {
    await askAndLeave('GET', path);
    await until(async () => (await countWaiting()) === 0, 'the queries have ended');
    await other.query('rollback');
    expect((await admin.get('assets/labels/')).status).toBe(200);
  });

  it('finishes a change that has begun', async () => {
    await askAndLeave('POST', '/api/v1/assets/labels/', { name: 'left', value: 'alone' });
    await other.query('rollback');
    await until(
      async () =>
        (await sql`select 1 from label where name = 'left'`.execute(test.db)).rows.length === 1,
      'the change is made',
    );
  });

  it('frees the connection of a half-read file, and logs nothing', async () => {
    await other.query('rollback');
    await insertLargeLabels('bulk', 20_000);
    await new Promise<void>((settle, fail) => {
      const sent = request(
        new URL('/api/v1/assets/labels/?format=csv', test.program.url),
        { headers: { ...admin.headers } },
        (response) => {
          response.once('data', () => {
            response.destroy();
            settle();
          });
        },
      );
      sent.once('error', fail);
      sent.end();
    });
    await until(
      async () =>
        (
          await other.query(
            `select 1 from pg_stat_activity where datname = current_database() and application_name = 'sallyport' and state <> 'idle' and backend_type = 'client backend'`,
          )
        ).rowCount === 0,
      'no session is busy',
    );
    expect(test.log()).not.toContain('a request failed');
  });
});

it('leaves connections for other requests when clients stop reading files', async () => {
  await other.query('rollback');
  await insertLargeLabels('stuck', 10_000);
  const stuck: IncomingMessage[] = [];
  const requests = Array.from({ length: 12 }, () =>
    request(
      new URL('/api/v1/assets/labels/?format=csv&name=stuck', test.program.url),
      { headers: { ...admin.headers } },
      (response) => {
        response.pause();
        stuck.push(response);
      },
    ),
  );
  for (const one of requests) one.on('error', () => undefined).end();
  await until(() => stuck.length > 0, 'the first files begin');
  // Other requests still succeed.
  for (let index = 0; index < 8; index++)
    expect((await admin.get('assets/labels/?limit=5')).status).toBe(200);
  expect(stuck.length).toBeLessThan(5);
  const begun = stuck.length;
  for (const one of stuck) one.destroy();
  await until(() => stuck.length > begun, 'the next ones have their turn');
  for (const one of requests) one.destroy();
  await until(
    async () => (await admin.get('assets/labels/?format=csv&limit=3')).status === 200,
    'all is free again',
  );
});

describe('an answer that does not begin in time', () => {
  const PATIENCE = 400;
  it('gets an error, and its query ends', async () => {
    const app = await createApp({
      log: test.program.app.http.log as never,
      authenticator: { authenticate: async () => undefined },
      trustedProxies: [],
      patience: PATIENCE,
    });
    publicRoute(app.http, {
      method: 'GET',
      url: '/slow/',
      handler: () => sql`select 1 from label`.execute(test.db),
    });
    publicRoute(app.http, {
      method: 'POST',
      url: '/slow/',
      handler: () => sql`delete from label`.execute(test.db),
    });
    publicRoute(app.http, {
      method: 'GET',
      url: '/never/',
      handler: () => new Promise(() => undefined),
    });
    await app.http.listen({ host: '127.0.0.1', port: 0 });
    const address = app.http.server.address();
    const base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
    for (const [method, path] of [
      ['GET', '/slow/'],
      ['POST', '/slow/'],
      ['GET', '/never/'],
    ] as const) {
      const answer = await fetch(`${base}${path}`, {
        method,
        headers: { 'accept-language': 'zh-CN' },
      });
      expect([answer.status, await answer.json()]).toEqual([
        503,
        expect.objectContaining({ code: 'timeout', detail: '请求超时，已终止。' }),
      ]);
      expect(answer.headers.get('retry-after')).toBe('1');
      await until(async () => (await countWaiting()) === 0, 'the queries have ended');
    }
    await app.http.close();
    expect(test.log()).not.toContain('a request failed');
  });
});
