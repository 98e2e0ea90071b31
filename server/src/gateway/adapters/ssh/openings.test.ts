import { generateSshKeyPair, ssh2 } from '@sallyport/ssh';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { until } from '../../../testing/poll.ts';
import { type SshWorld, startSshWorld } from '../../../testing/ssh/ssh-world.ts';

/**
 * Statements of a command over SSH, from the offered key to the digest of the ended session. It
 * only falls. A server that is alone needs three less: it shares no rate limits or sessions.
 */
const MOST_STATEMENTS = 30;
/** Timers of the server use the database too. */
const TRIES = 4;

let world: SshWorld;
const key = generateSshKeyPair('own');
beforeAll(async () => {
  world = await startSshWorld();
  await sql`update account set public_key = ${key.public}
    where id = ${world.member.id}`.execute(world.test.db);
});
afterAll(() => world.stop());

/** Runs a command on a new connection. */
function runTrue(): Promise<void> {
  const client = new ssh2.Client();
  return new Promise((done, fail) => {
    client.once('error', fail);
    client.once('close', () => done());
    client.once('ready', () =>
      client.exec('true', (error, channel) => {
        if (error) return fail(error);
        channel.once('close', () => client.end());
        return channel.resume();
      }),
    );
    const login = { username: world.login, privateKey: key.private };
    client.connect({ host: '127.0.0.1', port: world.port, ...login });
  });
}

/** Returns the statements until the session of the command and its sign-in have ended. */
async function statementsOf(act: () => Promise<void>): Promise<readonly string[]> {
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
    texts.some((text) => text.includes('delete from web_session where id =')) &&
    texts.slice(texts.findIndex((text) => text.includes('into session_digest'))).includes('commit');
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
  for (let turn = 0; turn < TRIES; turn++) {
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
  const amount = TRIES + 1;
  const all = { sessions: amount, commands: amount, digests: amount, logs: amount };
  await expect.poll(written, { timeout: 10_000 }).toEqual(all);
});
