import { generateSshKeyPair, ssh2 } from '@sallyport/ssh';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { until } from '../../../testing/poll.ts';
import { type SshWorld, startSshWorld } from '../../../testing/ssh/ssh-world.ts';

/**
 * Statements of a command over SSH, from the offered key to the digest of the ended session. It
 * only falls. A server that is alone needs one less: it does not count sessions of other servers.
 */
const MOST_STATEMENTS = 8;
/** Timers of the server use the database too, and a slow machine delivers a session in parts. */
const MOST_TRIES = 40;
let runs = 0;

let world: SshWorld;
const key = generateSshKeyPair('own');
beforeAll(async () => {
  world = await startSshWorld();
  await sql`update account set public_key = ${key.public}
    where id = ${world.member.id}`.execute(world.test.db);
});
afterAll(() => world.stop());

/** Runs a command on a new connection. Returns its exit code; undefined if it did not run. */
function runTrue(): Promise<unknown> {
  const client = new ssh2.Client();
  runs++;
  return new Promise((done, fail) => {
    let code: unknown;
    client.once('error', fail);
    client.once('close', () => done(code));
    client.once('ready', () =>
      client.exec('true', (error, channel) => {
        if (error) return fail(error);
        channel.on('exit', (status: unknown) => {
          code = status;
        });
        channel.once('close', () => client.end());
        return channel.resume();
      }),
    );
    const login = { username: world.login, privateKey: key.private };
    client.connect({ host: '127.0.0.1', port: world.port, ...login });
  });
}

/** Returns the statements until the session of the command and its sign-in have ended. */
async function statementsOf(act: () => Promise<unknown>): Promise<readonly string[]> {
  const { query } = pg.Client.prototype;
  const texts: string[] = [];
  pg.Client.prototype.query = function noted(this: pg.Client, ...words: Parameters<typeof query>) {
    const [statement] = words as readonly unknown[];
    texts.push(
      typeof statement === 'string' ? statement : String(Reflect.get(Object(statement), 'text')),
    );
    return query.apply(this, words);
  } as typeof query;
  const isOver = () =>
    texts.lastIndexOf('commit') >= texts.lastIndexOf('begin') &&
    ['delete from web_session where id = any', 'into session_digest'].every((part) =>
      texts.some((text) => text.includes(part)),
    );
  try {
    await act();
    await until(async () => isOver(), 'the end of the session');
    return texts;
  } finally {
    pg.Client.prototype.query = query;
  }
}

it('asks the database a limited number of times for a command over SSH', async () => {
  // The first one pins the host key.
  await statementsOf(runTrue);
  let least: readonly string[] | undefined;
  while (runs <= MOST_TRIES && !(least && least.length <= MOST_STATEMENTS)) {
    const texts = await statementsOf(runTrue);
    if (least === undefined || texts.length < least.length) least = texts;
  }
  expect(least?.length, least?.join('\n')).toBeLessThanOrEqual(MOST_STATEMENTS);
});

it('records, logs and digests each of these commands', async () => {
  const written = async () =>
    (
      await sql<{ sessions: number; commands: number; digests: number; logs: number }>`
    select count(*)::int as sessions,
      (select count(*)::int from command where asset = ${world.hostname}) as commands,
      (select count(*)::int from session_digest d join session s on s.id = d.session
        where s.asset_id = ${world.asset}) as digests,
      (select count(*)::int from login_log where user_id = ${world.member.id} and status) as logs
    from session where asset_id = ${world.asset} and is_finished and is_success
      and replay_state = 'finished'`.execute(world.test.db)
    ).rows[0];
  const all = { sessions: runs, commands: runs, digests: runs, logs: runs };
  await expect.poll(written, { timeout: 10_000 }).toEqual(all);
});

const change = (text: Sql) => text.execute(world.test.db);
const other = generateSshKeyPair('other');

it.each([
  {
    what: 'a removed key',
    // The server remembers that the key has signed in.
    change: () =>
      sql`update account set public_key = ${other.public} where id = ${world.member.id}`,
    restore: () => sql`update account set public_key = ${key.public} where id = ${world.member.id}`,
  },
  {
    what: 'a disabled user',
    change: () => sql`update account set is_active = false where id = ${world.member.id}`,
    restore: () => sql`update account set is_active = true where id = ${world.member.id}`,
  },
  {
    what: 'an expired permission',
    change: () => sql`update asset_permission set date_expired = now()`,
    restore: () => sql`update asset_permission set date_expired = now() + interval '1 day'`,
  },
  {
    what: 'a disabled asset',
    change: () => sql`update asset set is_active = false where id = ${world.asset}`,
    restore: () => sql`update asset set is_active = true where id = ${world.asset}`,
  },
  {
    what: 'a removed secret',
    change: () => sql`update system_account set login_mode = 'manual'`,
    restore: () => sql`update system_account set login_mode = 'auto'`,
  },
  {
    what: 'a secret that is stored for the asset',
    change: () => sql`insert into asset_user (id, org_id, asset_id, username, version, password,
        origin, created_by)
      select gen_random_uuid(), a.org_id, a.id, ${world.sshd.username}, 1, 'unreadable', 'user', ''
      from asset a where a.id = ${world.asset}`,
    restore: () => sql`delete from asset_user where asset_id = ${world.asset}`,
  },
  {
    what: 'another pinned host key',
    change: () => sql`update host_key set public_key = public_key || '\\x00'::bytea
      where asset_id = ${world.asset}`,
    restore: () => sql`delete from host_key where asset_id = ${world.asset}`,
  },
])('sees $what at the next opening', async (one) => {
  expect(await runTrue()).toBe(0);
  await change(one.change());
  expect(await runTrue().catch(() => undefined)).not.toBe(0);
  await change(one.restore());
  expect(await runTrue()).toBe(0);
});
