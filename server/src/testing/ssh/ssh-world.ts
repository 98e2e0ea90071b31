import type { Config } from '../../config.ts';
import { sql } from '../../platform/db/sql.ts';
import { type BuiltUser, buildAsset, buildOrganization, buildUser, unique } from '../builders.ts';
import type { Client, Json } from '../client.ts';
import { freePort } from '../free-port.ts';
import { bearer } from '../sign-in.ts';
import { startTestProgram, type TestProgram } from '../test-program.ts';
import type { SshCalls } from './ssh-calls.ts';
import { sshClient } from './ssh-client.ts';
import { startSshServer } from './ssh-server.ts';
import type { SshTarget } from './ssh-target.ts';

/** A program with its SSH listener, a target, and a member who may connect to it. */
export interface SshWorld<Target extends SshTarget = SshTarget, Calls extends SshCalls = SshCalls> {
  readonly test: TestProgram;
  readonly sshd: Target;
  readonly ssh: Calls;
  readonly port: number;
  readonly organization: string;
  readonly member: BuiltUser;
  readonly administrator: Client;
  readonly asset: string;
  readonly hostname: string;
  readonly systemUser: string;
  readonly accountName: string;
  /** `user@account@asset` of the member. */
  readonly login: string;
  /** The newest session row of the member's asset. */
  lastSession(): Promise<Json>;
  stop(): Promise<void>;
}

/** Starts a world whose SSH server and clients run in this process. */
export function startSshWorld(changes: Partial<Config> = {}): Promise<SshWorld> {
  const target = startSshServer({ acceptEnv: /^(LANG|LC_\w+)$/ });
  return startWorld(changes, target, sshClient);
}

/** Starts a world with a target and clients of the given kinds. */
export async function startWorld<Target extends SshTarget, Calls extends SshCalls>(
  changes: Partial<Config>,
  target: Promise<Target>,
  clientsOf: (port: number) => Calls | Promise<Calls>,
): Promise<SshWorld<Target, Calls>> {
  const port = await freePort();
  const [test, sshd] = await Promise.all([startTestProgram({ sshPort: port, ...changes }), target]);
  const { db } = test;
  const organization = await buildOrganization(db);
  const member = await buildUser(db, { memberOf: [{ organization, role: 'User' }] });
  const administrator = (await bearer(test)).inOrganization(organization);
  const hostname = unique('target');
  const asset = await buildAsset(db, { organization, hostname, port: sshd.port });
  const accountName = unique('account');
  const account = {
    name: accountName,
    username: sshd.username,
    login_mode: 'auto',
    protocol: 'ssh',
    private_key: sshd.privateKey,
  };
  const systemUser = String((await administrator.post('assets/system-users/', account)).body.id);
  const rule = {
    name: unique('rule'),
    users: [member.id],
    assets: [asset],
    system_users: [systemUser],
  };
  const granted = await administrator.post('perms/asset-permissions/', rule);
  if (granted.status !== 201)
    throw new Error(`the rule was answered with ${granted.status} ${granted.text}`);
  const ssh = await clientsOf(port);
  return {
    test,
    sshd,
    ssh,
    port,
    organization,
    member,
    administrator,
    asset,
    hostname,
    systemUser,
    accountName,
    login: `${member.username}@${accountName}@${hostname}`,
    async lastSession() {
      const { rows } =
        await sql<Json>`select * from session where asset_id = ${asset} order by date_start desc limit 1`.execute(
          db,
        );
      const [row] = rows;
      if (!row) throw new Error('there is no session');
      return row;
    },
    async stop() {
      await test.stop();
      await sshd.stop();
      await ssh.stop();
    },
  };
}
