import type { Person } from '../../ports/people.ts';
import type { ConnectionRequest } from '../../sessions/dial.ts';
import type { TargetName } from './destination.ts';
import type { GrantedAccount, GrantedTarget, SshContext, SshTargets } from './ports.ts';
import { TextError } from './text-error.ts';
import { words } from './words.ts';

/** Maximum number of listed choices. */
const MAX_LISTED = 20;

/**
 * Resolves the named server and account among those granted. A target that is not granted is as
 * unknown as one that does not exist. An ambiguous name is rejected with the ids of its matches.
 * @throws TextError
 */
export async function resolveTarget(
  context: SshContext,
  person: Person,
  { asset, account }: TargetName,
): Promise<ConnectionRequest> {
  const only = await onlyServer(context, person, { asset, account });
  if (only) return only;
  const { targets } = context.ssh;
  const { userId } = person;
  return accountOn(targets, userId, oneServer(await targets.named(userId, asset), asset), account);
}

/**
 * Resolves a full host name and reads the opening in one query; undefined if it is not the name of
 * exactly one server with accounts. @throws TextError
 */
async function onlyServer(
  { ssh: { targets }, hub }: SshContext,
  person: Person,
  { asset, account }: TargetName,
): Promise<ConnectionRequest | undefined> {
  const { changes } = hub;
  const only = await targets.only(person, asset);
  if (!only) return undefined;
  const { id: systemUserId } = accountOf(only.accounts, only.hostname, account);
  const early = { changes, open: () => only.open(systemUserId) };
  return { assetId: only.id, systemUserId, early };
}

/** Adds the account of a server to its request. @throws TextError */
async function accountOn(
  targets: SshTargets,
  userId: string,
  { id, hostname }: GrantedTarget,
  account: string | undefined,
): Promise<ConnectionRequest> {
  const accounts = await targets.accounts(userId, id);
  if (accounts.length === 0) throw new TextError(words.accountNone, { asset: hostname });
  return { assetId: id, systemUserId: accountOf(accounts, hostname, account).id };
}

/**
 * Resolves a server or database; a server precedes a database of the same name. @throws TextError
 */
export async function resolveTerminal(
  context: SshContext,
  person: Person,
  target: TargetName,
): Promise<ConnectionRequest> {
  const { asset, account } = target;
  const only = await onlyServer(context, person, target);
  if (only) return only;
  const { targets, databases } = context.ssh;
  const { userId } = person;
  const servers = await targets.named(userId, asset);
  const matches = servers.length > 0 ? [] : await databases.named(userId, asset);
  const [database, ...others] = matches;
  if (!database) return accountOn(targets, userId, oneServer(servers, asset), account);
  if (others.length > 0) {
    const lines = matches
      .slice(0, MAX_LISTED)
      .map(({ id, name, type, host }) => `${id}  ${name}  ${type}  ${host}`);
    throw new TextError(words.databaseAmbiguous, { database: asset }, lines);
  }
  const accounts = await databases.accounts(userId, database.id);
  if (accounts.length === 0)
    throw new TextError(words.databaseNoAccount, { database: database.name });
  return {
    assetId: database.id,
    systemUserId: accountOf(accounts, database.name, account).id,
    kind: 'database_app',
  };
}

const accountOf = (
  accounts: readonly GrantedAccount[],
  target: string,
  account: string | undefined,
): GrantedAccount =>
  account === undefined
    ? offeredAccount(accounts, target)
    : namedAccount(accounts, target, account);

/** Returns the only match of a name. @throws TextError */
export function oneServer(matches: readonly GrantedTarget[], asset: string): GrantedTarget {
  const [first, ...others] = matches;
  if (!first) throw new TextError(words.assetUnknown, { asset });
  if (others.length === 0) return first;
  const lines = matches
    .slice(0, MAX_LISTED)
    .map(({ id, hostname, ip, organization }) => `${id}  ${hostname}  ${ip}  ${organization}`);
  throw new TextError(words.assetAmbiguous, { asset }, lines);
}

/** A system user's name precedes a login name on the server. */
function namedAccount(
  accounts: readonly GrantedAccount[],
  target: string,
  account: string,
): GrantedAccount {
  for (const property of ['id', 'name', 'username'] as const) {
    const matches = accounts.filter((one) => one[property] === account);
    const [first, ...others] = matches;
    if (first && others.length === 0) return first;
    if (first)
      throw new TextError(
        words.accountAmbiguous,
        { account, asset: target },
        matches.slice(0, MAX_LISTED).map(lineOf),
      );
  }
  throw new TextError(
    words.accountUnknown,
    { account, asset: target },
    accounts.slice(0, MAX_LISTED).map(lineOf),
  );
}

/** Without a name: the account with the highest priority, as in the web terminal. */
function offeredAccount(accounts: readonly GrantedAccount[], target: string): GrantedAccount {
  const offered = offeredAccounts(accounts);
  const [first, ...others] = offered;
  if (first && others.length === 0) return first;
  throw new TextError(
    words.accountOpen,
    { asset: target },
    offered.slice(0, MAX_LISTED).map(lineOf),
  );
}

/** Returns the accounts with the numerically highest priority. */
export function offeredAccounts(accounts: readonly GrantedAccount[]): GrantedAccount[] {
  const highest = Math.max(...accounts.map(({ priority }) => priority));
  return accounts.filter(({ priority }) => priority === highest);
}

const lineOf = ({ id, name, username }: GrantedAccount): string =>
  `${id}  ${name}${username && username !== name ? ` (${username})` : ''}`;
