import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  bracketed,
  type CommandLine,
  type SshAccess,
  type SshPlace,
  scpCommand,
  sshCommand,
} from '../../contract/src/index.ts';
import { withAgent } from './agent.ts';
import { safeHost, safeLogin, safePort, safePublicKey } from './answers.ts';
import { Failure, STATUS } from './failure.ts';
import { t } from './language.ts';
import { runProgram, withFolder } from './programs.ts';
import { hostOf, Server } from './server.ts';
import type { Stored } from './stored.ts';
import { accountsOn, chooseAccount, findAsset, type Named } from './targets.ts';
import { words } from './words.ts';

/** Name of the bastion in the file of known hosts, whatever its address. */
const ALIAS = 'sallyport-bastion';
/** Names that are safe as part of a login name. */
const PLAIN_NAME = /^[\p{L}\p{N}_.+-]+$/u;

const firstPlain = (...names: readonly string[]) =>
  names.find((name) => PLAIN_NAME.test(name)) ?? names.at(-1) ?? '';

/** The login name for a target: `user@account@asset`. */
export const loginOf = (
  username: string,
  account: (Named & { readonly username: string }) | undefined,
  asset: Named,
): string =>
  [
    username,
    account ? firstPlain(account.name, account.username, account.id) : '',
    firstPlain(asset.name, asset.id),
  ].join('@');

/** Settings of OpenSSH that check the published host keys. */
type Settings = Readonly<Record<string, string>>;

/**
 * Runs a client of OpenSSH with a key of this call, so it asks for nothing. It trusts exactly the
 * host keys that the bastion publishes over HTTPS.
 * @throws Failure if the bastion has no SSH port, or answers something unsafe
 */
async function runAtBastion(
  server: Server,
  login: string,
  commandOf: (place: SshPlace, settings: Settings) => CommandLine,
): Promise<number> {
  const access = await server.get<SshAccess>('terminal/ssh/');
  if (access.port === 0) throw new Failure(t(words.sshOff));
  const place = {
    host: safeHost(access.host || hostOf(server)),
    port: safePort(access.port),
    login: safeLogin(login),
  };
  const lines = access.host_keys.map(({ public_key: key }) => `${ALIAS} ${safePublicKey(key)}\n`);
  return withFolder(async (folder) => {
    const known = join(folder, 'known_hosts');
    await writeFile(known, lines.join(''), { mode: 0o600 });
    return withAgent(server, folder, (agent) => {
      const { program, args } = commandOf(place, {
        HostKeyAlias: ALIAS,
        UserKnownHostsFile: `"${known}"`,
        GlobalKnownHostsFile: 'none',
        StrictHostKeyChecking: 'yes',
        UpdateHostKeys: 'no',
        // The key of this call comes before those of the user's files.
        ...(agent !== undefined && { IdentityAgent: `"${agent}"`, IdentitiesOnly: 'no' }),
      });
      return runProgram(program, args);
    });
  });
}

/** Finds an asset and the account on it; an account that the user names must be granted. */
async function findLogin(server: Server, { username }: Stored, target: string): Promise<string> {
  const { thing, account: wanted } = await findAsset(server, target);
  const account =
    wanted === undefined
      ? undefined
      : chooseAccount(await accountsOn(server, thing.id), wanted, thing.hostname);
  return loginOf(username, account, { id: thing.id, name: thing.hostname });
}

/** Opens a shell, or runs a command, with the OpenSSH client of this machine. */
export async function ssh(
  stored: Stored,
  organization: string | undefined,
  [target, ...rest]: readonly string[],
): Promise<number> {
  if (target === undefined) throw new Failure(t(words.usageSsh), STATUS.usage);
  const server = Server.of(stored, organization);
  const login = await findLogin(server, stored, target);
  return sshTo(server, login, rest);
}

/** Starts the OpenSSH client with a login name. */
export const sshTo = (server: Server, login: string, rest: readonly string[]): Promise<number> =>
  runAtBastion(server, login, (place, settings) => sshCommand(place, settings, rest));

/** `ASSET[@account]:path`. A path of this machine begins with `/`, `.` or `~`, or has no colon. */
export function readRemote(
  word: string,
): { readonly target: string; readonly path: string } | undefined {
  if (/^[-/.~]/.test(word) || /^[a-z]:[\\/]/i.test(word)) return undefined;
  const colon = word.indexOf(':');
  return colon > 0 ? { target: word.slice(0, colon), path: word.slice(colon + 1) } : undefined;
}

/** Copies files with the scp of this machine. All remote paths are on one asset. */
export async function scp(
  stored: Stored,
  organization: string | undefined,
  args: readonly string[],
): Promise<number> {
  const remotes = args.flatMap((word) => readRemote(word) ?? []);
  const targets = new Set(remotes.map(({ target }) => target));
  const [target] = targets;
  if (target === undefined || targets.size > 1) throw new Failure(t(words.usageScp), STATUS.usage);
  const server = Server.of(stored, organization);
  const login = await findLogin(server, stored, target);
  return runAtBastion(server, login, (place, settings) =>
    scpCommand(place, settings, args, (file) => {
      const remote = readRemote(file);
      return remote ? `${bracketed(place.host)}:${remote.path}` : file;
    }),
  );
}
