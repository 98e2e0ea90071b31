import type { Config } from '../../config.ts';
import { type CanaryTarget, startCanaryTarget } from '../../gateway/canary/target.ts';
import { buildAsset, buildUser, unique } from '../builders.ts';
import type { Client, Json } from '../client.ts';
import { freePort } from '../free-port.ts';
import { bearer } from '../sign-in.ts';
import { startTestProgram, type TestProgram } from '../test-program.ts';
import { TerminalClient } from './terminal-client.ts';

/** An open terminal in the shell of the target. */
export interface CanaryTerminal {
  readonly session: string;
  /** Runs `echo LINE`, and waits for its output. */
  type(line: string): Promise<void>;
  exit(): Promise<void>;
}

/** A program on a given database, and a user who may open terminals on a target in this process. */
export interface CanaryWorld {
  readonly test: TestProgram;
  readonly admin: Client;
  open(): Promise<CanaryTerminal>;
  stop(): Promise<void>;
}

export async function startCanaryWorld(
  databaseUrl: string,
  changes: Partial<Config> = {},
): Promise<CanaryWorld> {
  const [test, target] = await Promise.all([
    startTestProgram({ databaseUrl, sshPort: await freePort(), ...changes }),
    startCanaryTarget(),
  ]);
  const admin = await bearer(test);
  const { headers, grant } = await grantTo(test, admin, target);
  return {
    test,
    admin,
    async open() {
      const base = test.program.url.replace(/^http/, 'ws').replace(/\/$/, '');
      const terminal = await TerminalClient.connect(base, grant, headers);
      const { session } = await terminal.message('open');
      await terminal.waitFor('canary$ ');
      return {
        session,
        async type(line) {
          terminal.type(`echo ${line}\r`);
          await terminal.waitFor(`\n${line}\r\n`);
        },
        async exit() {
          terminal.type('exit\r');
          await terminal.message('closed');
        },
      };
    },
    async stop() {
      await test.stop();
      await target.stop();
    },
  };
}

async function grantTo(test: TestProgram, admin: Client, target: CanaryTarget) {
  const asset = await buildAsset(test.db, { port: target.port });
  const { body } = await admin.post<Json>('assets/system-users/', {
    name: unique('account'),
    username: target.username,
    login_mode: 'auto',
    protocol: 'ssh',
    password: target.password,
  });
  const grant = { asset, system_user: String(body.id) };
  const user = await buildUser(test.db);
  await admin.post('perms/asset-permissions/', {
    name: unique('rule'),
    users: [user.id],
    assets: [asset],
    system_users: [grant.system_user],
  });
  return { grant, headers: (await bearer(test, user)).headers };
}
