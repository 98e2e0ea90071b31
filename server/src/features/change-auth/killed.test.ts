import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PrivateHost, startPrivateHost } from '../../gateway/testing/private-host.ts';
import { openDatabase } from '../../platform/db/database.ts';
import { ssh2 } from '../../platform/ssh/ssh2.ts';
import type { Client, Json } from '../../testing/client.ts';
import { useCommands } from '../../testing/command.ts';
import { importLicense } from '../../testing/license.ts';
import { until } from '../../testing/poll.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts';

const EXECUTIONS = 'xpack/change-auth-plan/plan-execution/';
const SUBTASKS = 'xpack/change-auth-plan/plan-execution-subtask/';

const { startOn } = useCommands();
let database: TestDatabase;
let host: PrivateHost;
beforeAll(async () => {
  [database, host] = await Promise.all([createTestDatabase(), startPrivateHost()]);
}, 60_000);
afterAll(async () => {
  await database?.drop();
  await host?.stop();
});

const make = async (client: Client, path: string, body: Json) => {
  const made = await client.post(path, body);
  if (made.status !== 201) throw new Error(made.text);
  return String(made.body.id);
};
const hash = () => host.inside('grep "^plain:" /etc/shadow | cut -d: -f2');
/** Whether the sshd accepts a password of the account. */
const accepts = (password: string) =>
  new Promise<boolean>((done) => {
    const client = new ssh2.Client();
    client.once('ready', () => {
      client.end();
      done(true);
    });
    client.once('error', () => done(false));
    client.connect({ host: host.host, port: host.port, username: 'plain', password });
  });

const subtaskOf = async (client: Client, execution: string) =>
  ((await client.get(`${SUBTASKS}?plan_execution_id=${execution}`)).body as unknown as Json[])[0] ?? {};

/**
 * Runs a plan and waits until the new password is set and not proved. On a machine that is too slow for the time limit of a connection, a run ends before
 * it has changed anything: then the plan is run once more.
 */
async function startChange(client: Client, plan: string, old: string): Promise<string> {
  let seen: Json = {};
  for (let tries = 0; tries < 3; tries += 1) {
    const id = String((await client.post(EXECUTIONS, { plan })).body.task);
    let isChanged = false;
    const isOver = async () => (await client.get(`${EXECUTIONS}${id}/`)).body.is_finished === true;
    await until(async () => {
      seen = await subtaskOf(client, id);
      isChanged = seen.step === 'verify' && (await hash()) !== old;
      return isChanged || (await isOver());
    }, 'the plan runs');
    if (isChanged) return id;
  }
  throw new Error(`the password was not changed: ${JSON.stringify(seen)}`);
}

it('a plan whose server was killed between the change and its proof is settled by signing in, whichever password is in force', async () => {
  let { command, signIn } = await startOn(database);
  let administrator = await signIn();
  expect((await importLicense(administrator)).status).toBe(200);
  const keeper = await make(administrator, 'assets/admin-users/', { name: 'keeper', username: 'admin', password: host.passwords.admin });
  const asset = await make(administrator, 'assets/assets/', {
    hostname: 'killed',
    ip: host.host,
    platform: 'Linux',
    protocols: [`ssh/${host.port}`],
    admin_user: keeper,
  });
  await administrator.post('assets/asset-users/', { asset, username: 'plain', password: host.passwords.plain });
  const wanted = { killed: 'Killed.before.1', both: 'Killed.before.2' };
  let inForce = host.passwords.plain;

  for (const [who, password] of Object.entries(wanted)) {
    const plan = await make(administrator, 'xpack/change-auth-plan/plan/', { name: `plan ${who}`, username: 'plain', assets: [asset], password });
    const old = await hash();
    // The proof does not end before we are done.
    await host.inside('echo "sleep 600" >/home/plain/.ssh/rc; chown plain /home/plain/.ssh/rc');
    const id = await startChange(administrator, plan, old);
    const subtask = () => subtaskOf(administrator, id);
    const pid = command.child.pid ?? 0;
    // It does not see what becomes of the host.
    process.kill(pid, 'SIGSTOP');
    if (who === 'both') await host.cut();
    process.kill(pid, 'SIGKILL');
    await command.ended;
    if (who === 'killed') await until(async () => (await hash()) === old, 'the server has taken the change back');
    await host.inside('rm /home/plain/.ssh/rc');

    // What the queue does some seconds later, when the lease of the lost process is over.
    const { db, close } = openDatabase(database.url, 1);
    await sql`update jobs.job set state = 'retry', retry_count = retry_count + 1, started_on = null, start_after = now() where id = ${id} and state = 'active'`.execute(
      db,
    );
    await close();
    ({ command, signIn } = await startOn(database));
    administrator = await signIn();
    await until(async () => (await administrator.get(`${EXECUTIONS}${id}/`)).body.is_finished === true, 'the run is over', 60_000);
    const settled =
      who === 'killed'
        ? { is_success: false, needs_attention: false, reason: expect.stringContaining('The old password is in force') }
        : { is_success: true, needs_attention: false };
    expect([who, await subtask()]).toMatchObject([who, settled]);
    if (who === 'both') inForce = password;
    expect([who, await accepts(inForce)]).toEqual([who, true]);
    const { results } = (await administrator.get(`assets/asset-users/?asset_id=${asset}&username=plain&limit=5`)).body as unknown as { results: Json[] };
    expect([who, results[0]?.version]).toEqual([who, who === 'both' ? 2 : 1]);
  }
}, 240_000);
