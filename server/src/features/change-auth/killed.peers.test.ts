import { ssh2 } from '@sallyport/ssh';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { Client, Json, Page } from '../../testing/client.ts';
import { useCommands } from '../../testing/command.ts';
import { type PrivateHost, startPrivateHost } from '../../testing/hosts/private-host.ts';
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
});
afterAll(async () => {
  await database?.drop();
  await host?.stop();
});

const make = async (client: Client, path: string, body: Json) => {
  const created = await client.post(path, body);
  if (created.status !== 201) throw new Error(created.text);
  return String(created.body.id);
};
const hash = () => host.inside('grep "^plain:" /etc/shadow | cut -d: -f2');
/** Returns true if the sshd accepts a password of the account. */
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
  (await client.get<Json[]>(`${SUBTASKS}?plan_execution_id=${execution}`)).body[0] ?? {};

/**
 * Runs a plan until the new password is set and not verified, or the run has ended.
 * @returns the run, and true if it is in that state
 */
async function runUntilSet(
  client: Client,
  plan: string,
  old: string,
): Promise<{ readonly id: string; readonly isSet: boolean }> {
  const id = String((await client.post(EXECUTIONS, { plan })).body.task);
  let isSet = false;
  await until(
    async () => {
      isSet = (await subtaskOf(client, id)).step === 'verify' && (await hash()) !== old;
      return isSet || (await client.get(`${EXECUTIONS}${id}/`)).body.is_finished === true;
    },
    'the new password is set, or the run is over',
    100_000,
  );
  return { id, isSet };
}

/**
 * Waits until the change is settled; unsettled changes are retried.
 * @returns the change of the one server
 */
async function settled(client: Client, execution: string): Promise<Json> {
  let subtask: Json = {};
  await until(
    async () => {
      subtask = await subtaskOf(client, execution);
      if (subtask.is_success === null || subtask.is_success === undefined) return false;
      if (
        subtask.needs_attention !== true &&
        !String(subtask.reason).includes('checks again automatically')
      )
        return true;
      await client.put(`${SUBTASKS}${subtask.id}/`, {});
      return false;
    },
    'it is known which password is in force',
    100_000,
  );
  return subtask;
}

it('settles a plan by signing in when the server is killed before the verifying sign-in', async () => {
  let { command, signIn } = await startOn(database);
  let administrator = await signIn();
  expect((await importLicense(administrator)).status).toBe(200);
  const keeper = await make(administrator, 'assets/admin-users/', {
    name: 'keeper',
    username: 'admin',
    password: host.passwords.admin,
  });
  const asset = await make(administrator, 'assets/assets/', {
    hostname: 'killed',
    ip: host.host,
    platform: 'Linux',
    protocols: [`ssh/${host.port}`],
    admin_user: keeper,
  });
  await administrator.post('assets/asset-users/', {
    asset,
    username: 'plain',
    password: host.passwords.plain,
  });
  const passwords = { killed: 'Killed.before.1', both: 'Killed.before.2' };
  let inForce = host.passwords.plain;
  let versions = 1;

  for (const [who, password] of Object.entries(passwords)) {
    const plan = await make(administrator, 'xpack/change-auth-plan/plan/', {
      name: `plan ${who}`,
      username: 'plain',
      assets: [asset],
      password,
    });
    const old = await hash();
    // Blocks the verifying sign-in until we continue.
    await host.inside('echo "sleep 600" >/home/plain/.ssh/rc; chown plain /home/plain/.ssh/rc');
    const { id, isSet } = await runUntilSet(administrator, plan, old);
    const pid = command.child.pid ?? 0;
    // It does not observe the end of the host.
    process.kill(pid, 'SIGSTOP');
    if (who === 'both') await host.cut();
    process.kill(pid, 'SIGKILL');
    await command.ended;
    if (isSet && who === 'killed')
      await until(async () => (await hash()) === old, 'the server has taken the change back');
    await host.inside('rm /home/plain/.ssh/rc');

    // The queue does this some seconds later, when the lease of the lost process expires.
    const { db, close } = openDatabase(database.url, 1);
    await sql`update jobs.job
      set state = 'retry', retry_count = retry_count + 1, started_on = null, start_after = now()
      where id = ${id} and state = 'active'`.execute(db);
    await close();
    ({ command, signIn } = await startOn(database));
    administrator = await signIn();
    await until(
      async () => (await administrator.get(`${EXECUTIONS}${id}/`)).body.is_finished === true,
      'the run is over',
    );
    const subtask = await settled(administrator, id);
    // The account is not locked out: one password is in force, which is the latest stored one, and
    // the other is rejected.
    if (subtask.is_success === true) {
      expect([who, await accepts(inForce)]).toEqual([who, false]);
      inForce = password;
      versions += 1;
    } else
      expect([who, subtask, await accepts(password)]).toEqual([
        who,
        expect.objectContaining({ needs_attention: false }),
        false,
      ]);
    expect([who, subtask, await accepts(inForce)]).toEqual([who, expect.anything(), true]);
    const { results } = (
      await administrator.get<Page>(`assets/asset-users/?asset_id=${asset}&username=plain&limit=5`)
    ).body;
    expect([who, subtask, results[0]?.version]).toEqual([who, expect.anything(), versions]);
    const outcome =
      who === 'killed'
        ? {
            is_success: false,
            needs_attention: false,
            reason: expect.stringContaining('The old password is still valid'),
          }
        : { is_success: true, needs_attention: false };
    // A run that ended before the kill ended normally.
    if (isSet) expect([who, subtask]).toMatchObject([who, outcome]);
  }
}, 480_000);
