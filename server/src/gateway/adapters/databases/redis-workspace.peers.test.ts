import type { DatabaseServerMessage } from '@sallyport/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildUser, unique } from '../../../testing/builders.ts';
import {
  type DatabaseWorld,
  type GrantedDatabase,
  startDatabaseWorld,
} from '../../../testing/databases/database-world.ts';
import type { QueryClient } from '../../../testing/databases/query-client.ts';
import { type RedisServer, startRedisServer } from '../../../testing/databases/redis-server.ts';
import { until } from '../../../testing/poll.ts';
import { bearer } from '../../../testing/sign-in.ts';

const PASSWORD = 'vault se"cret 9';

let world: DatabaseWorld;
let server: RedisServer;
let cache: GrantedDatabase;
beforeAll(async () => {
  [world, server] = await Promise.all([startDatabaseWorld(), startRedisServer(PASSWORD)]);
  cache = await grant();
});
afterAll(async () => {
  await world?.stop();
  await server?.stop();
});

const grant = (more: object = {}) =>
  world.grant({
    type: 'redis',
    host: server.host,
    port: server.port,
    database: '2',
    username: '',
    password: PASSWORD,
    ...more,
  });

async function opened(database: GrantedDatabase, who = world.client): Promise<QueryClient> {
  const client = await database.connect(who);
  await client.message('open');
  return client;
}

/** Closes the workspace and waits until its session has ended. */
async function leave(client: QueryClient, database: GrantedDatabase): Promise<void> {
  client.close();
  await until(
    async () => (await database.lastSession()).is_finished === true,
    'the session has ended',
  );
}

/** Sends a request and waits for the answer of the type. */
async function ask<Type extends 'history' | 'keys' | 'key' | 'refused'>(
  client: QueryClient,
  question: Parameters<QueryClient['send']>[0],
  type: Type,
): Promise<Extract<DatabaseServerMessage, { type: Type }>> {
  const from = client.messages.length;
  client.send(question);
  return client.message(type, from);
}

const texts = async (client: QueryClient, search = '') =>
  (await ask(client, { type: 'history', search }, 'history')).statements.map(({ text }) => text);

describe('workspace history', () => {
  it("shows the user's statements with this database and account, each text once, with search", async () => {
    const first = await opened(cache);
    await first.query('SET greeting hello\nGET greeting');
    await first.query('LPUSH greeting x');
    await leave(first, cache);
    const again = await opened(cache);
    await again.query('GET greeting');
    const { statements } = await ask(again, { type: 'history', search: '' }, 'history');
    expect(statements.map(({ text, is_failed }) => [text, is_failed])).toEqual([
      ['GET greeting', false],
      ['LPUSH greeting x', true],
      ['SET greeting hello', false],
    ]);
    expect(await texts(again, 'lpush')).toEqual(['LPUSH greeting x']);
    expect(await texts(again, '100%_')).toEqual([]);
    await leave(again, cache);
  });

  it('hides statements of other users, accounts and databases', async () => {
    const colleague = await buildUser(world.test.db, {
      memberOf: [{ organization: world.organization, role: 'User' }],
    });
    await world.administrator.patch(`perms/database-app-permissions/${cache.permission}/`, {
      users: [world.member.id, colleague.id],
    });
    const other = await opened(
      cache,
      (await bearer(world.test, colleague)).inOrganization(world.organization),
    );
    await other.query('SET secret-of-a-colleague 1');
    // Statements reach the log through the journal.
    await expect.poll(() => texts(other)).toEqual(['SET secret-of-a-colleague 1']);
    await leave(other, cache);
    const own = await opened(cache);
    await expect.poll(() => texts(own)).toContain('SET greeting hello');
    expect(own.received).not.toContain('secret-of-a-colleague');
    await leave(own, cache);
    const elsewhere = await grant();
    const there = await opened(elsewhere);
    expect(await texts(there)).toEqual([]);
    await leave(there, elsewhere);
  });

  it('sends no history after the permission has ended', async () => {
    const client = await opened(cache);
    await world.administrator.patch(`perms/database-app-permissions/${cache.permission}/`, {
      is_active: false,
    });
    client.send({ type: 'history', search: '' });
    await until(
      () => client.messages.some(({ type }) => type === 'closed'),
      'the session was closed',
    );
    const late = client.messages.length;
    client.send({ type: 'history', search: '' });
    await until(
      async () => (await cache.lastSession()).is_finished === true,
      'the session has ended',
    );
    expect(client.messages.slice(late)).toEqual([]);
    await expect((await cache.connect()).message('open')).rejects.toThrow('connect_denied');
    await world.administrator.patch(`perms/database-app-permissions/${cache.permission}/`, {
      is_active: true,
    });
  });
});

describe('Redis keys', () => {
  it('finds keys by prefix, with any characters, type and expiry, and logs each command', async () => {
    const client = await opened(cache);
    await client.query(
      'SET app:user:1 li\nHSET app:user:2 name wang\nSETEX "app:odd *?[key]\\n" 1000 x\nSET apple 1\nRPUSH app:list a b',
    );
    const matches = await ask(client, { type: 'keys', prefix: 'app:', cursor: '0' }, 'keys');
    expect(matches).toMatchObject({
      keys: ['app:list', 'app:odd *?[key]\n', 'app:user:1', 'app:user:2'],
      cursor: null,
      message: null,
    });
    expect(
      (await ask(client, { type: 'keys', prefix: 'app:odd *', cursor: '0' }, 'keys')).keys,
    ).toEqual(['app:odd *?[key]\n']);
    expect((await ask(client, { type: 'keys', prefix: 'app*', cursor: '0' }, 'keys')).keys).toEqual(
      [],
    );
    expect(await ask(client, { type: 'key', key: 'app:user:2' }, 'key')).toMatchObject({
      kind: 'hash',
      seconds: null,
    });
    const odd = await ask(client, { type: 'key', key: 'app:odd *?[key]\n' }, 'key');
    expect([odd.kind, (odd.seconds ?? 0) > 0]).toEqual(['string', true]);
    // The history holds the user's commands. The log holds all commands, and marks those of the key
    // tree.
    const own = await texts(client);
    expect(own.filter((text) => /^(?:SCAN|TYPE|TTL) /.test(text))).toEqual([]);
    expect(own).toContain('SET apple 1');
    await leave(client, cache);
    const commands = await cache.commands();
    const byTree = commands
      .filter((row) => row.is_by_key_tree)
      .map(({ input }) => String(input).split(' ')[0]);
    expect([...new Set(byTree)].sort()).toEqual(['SCAN', 'TTL', 'TYPE']);
    const logged = commands.map(({ input }) => input);
    expect(logged).toEqual(
      expect.arrayContaining([
        'SCAN 0 MATCH app:* COUNT 500',
        'TYPE app:user:2',
        'TTL app:user:2',
        'TYPE "app:odd *?[key]\\x0a"',
      ]),
    );
  });

  it('returns an empty list for a missing key', async () => {
    const client = await opened(cache);
    const { answered, failed } = await client.query('HGETALL nothing:here');
    expect([failed, answered.map(({ rows }) => rows)]).toEqual([undefined, [0]]);
    expect(await client.rows('GET nothing:here')).toEqual([['', 'string', null]]);
    await leave(client, cache);
  });

  it('returns keys in parts, each key once', async () => {
    const client = await opened(cache);
    await client.query(
      `MSET ${Array.from({ length: 3000 }, (_, at) => `many:${at} ${at}`).join(' ')}`,
    );
    const keys: string[] = [];
    let answers = 0;
    for (let cursor: string | null = '0'; cursor !== null; answers += 1) {
      const part: Extract<DatabaseServerMessage, { type: 'keys' }> = await ask(
        client,
        { type: 'keys', prefix: 'many:', cursor },
        'keys',
      );
      keys.push(...part.keys);
      cursor = part.cursor;
    }
    expect([new Set(keys).size, answers > 1]).toEqual([3000, true]);
    await leave(client, cache);
  });

  it("keeps running the user's commands during a search for keys", async () => {
    const client = await opened(cache);
    for (const part of [1, 2, 3, 4])
      await client.query(
        `MSET ${Array.from({ length: 3000 }, (_, at) => `wide:${part}:${at} ${at}`).join(' ')}`,
      );
    for (const word of ['one', 'two', 'three']) {
      const from = client.messages.length;
      client.send({ type: 'keys', prefix: 'none:', cursor: '0' });
      await client.query(`ECHO ${word}`);
      const matches = await client.message('keys', from);
      expect(matches.message).toBeNull();
      expect(matches.cursor).not.toBeNull();
      expect(
        client.messages.slice(from).some(({ type }) => type === 'refused' || type === 'failed'),
      ).toBe(false);
    }
    const flush = client.begin('FLUSHDB');
    expect(await client.message('ask', flush.from)).toMatchObject({ act: 'flush' });
    client.send({ type: 'answer', yes: true });
    await client.finish(flush);
    await leave(client, cache);
  });

  it("rejects the key tree's commands by the filters of typed commands", async () => {
    const filter = await world.administrator.post('assets/cmd-filters/', {
      name: unique('filter'),
      system_users: [cache.systemUser],
    });
    const rule = { type: 'command', content: 'scan', priority: 50, action: 0 };
    expect(
      (await world.administrator.post(`assets/cmd-filters/${filter.body.id}/rules/`, rule)).status,
    ).toBe(201);
    const client = await opened(cache);
    expect(await ask(client, { type: 'keys', prefix: '', cursor: '0' }, 'keys')).toMatchObject({
      keys: [],
      message: expect.stringContaining('scan'),
    });
    await leave(client, cache);
    expect((await cache.commands())[0]).toMatchObject({
      input: 'SCAN 0 MATCH * COUNT 500',
      is_denied: true,
    });
    await world.administrator.delete(`assets/cmd-filters/${filter.body.id}/`);
  });

  it('runs a command that a rule asks about only with the word of the rule', async () => {
    const filter = await world.administrator.post('assets/cmd-filters/', {
      name: unique('filter'),
      system_users: [cache.systemUser],
    });
    const rule = { type: 'regex', content: '(?i)^expire', action: 3, word: 'cache' };
    await world.administrator.post(`assets/cmd-filters/${filter.body.id}/rules/`, rule);
    const client = await opened(cache);
    for (const word of ['cash', 'cache']) {
      const run = client.begin('EXPIRE verdict 60');
      expect(await client.message('ask', run.from)).toMatchObject({ word: 'cache' });
      client.send({ type: 'answer', yes: true, word });
      expect((await client.finish(run)).failed === undefined).toBe(word === 'cache');
    }
    await leave(client, cache);
    expect(await cache.commands()).toMatchObject([
      { is_denied: false, verdict: 'declined' },
      { is_denied: false, verdict: 'confirmed' },
    ]);
    await world.administrator.delete(`assets/cmd-filters/${filter.body.id}/`);
  });
});

describe('an account with least rights, of Redis 7.0.15', () => {
  const READER = 'reader of keys 7';
  const reader = (more: object = {}) =>
    grant({ username: 'reader', password: READER, database: undefined, ...more });
  const refusal = async (database: GrantedDatabase): Promise<string> => {
    const client = await database.connect();
    await until(
      () => client.messages.some(({ type }) => type === 'closed'),
      'the workspace is closed',
    );
    const closed = client.messages.find((message) => message.type === 'closed');
    client.close();
    return closed?.message ?? '';
  };
  beforeAll(async () => {
    const client = await opened(cache);
    await client.query(`ACL SETUSER reader on ">${READER}" ~* +@read`);
    await leave(client, cache);
  });

  it('opens without the rights to PING and SELECT', async () => {
    for (const database of [undefined, '0']) {
      const granted = await reader({ database });
      const client = await opened(granted);
      expect(await client.rows('GET nothing')).toEqual([['', 'string', null]]);
      await leave(client, granted);
    }
  });

  it('names the database that it may not select, and a wrong password as such', async () => {
    expect(await refusal(await reader({ database: '2' }))).toMatch(
      /accepted reader and refused database 2: NOPERM /,
    );
    expect(await refusal(await reader({ password: 'wrong' }))).toContain(
      'did not accept the credentials of reader.',
    );
  });
});
