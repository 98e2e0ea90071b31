import type { ConnectionRequest } from '../../sessions/dial.ts';
import type { TargetName } from './destination.ts';
import type { GrantedAccount, GrantedTarget, SshDatabases, SshTargets } from './ports.ts';
import { Said } from './said.ts';
import { words } from './words.ts';

/** Choices that are listed at most. */
const MAX_LISTED = 20;

/**
 * Finds the server and the account that a person named, among those that are granted: what is not granted is as unknown as what does not exist.
 * Where a name fits several, nothing is guessed: the person is shown their ids. @throws Said
 */
export async function resolveTarget(
  targets: SshTargets,
  userId: string,
  { asset, account }: TargetName,
): Promise<ConnectionRequest> {
  const server = oneServer(await targets.named(userId, asset), asset);
  const accounts = await targets.accounts(userId, server.id);
  if (accounts.length === 0) throw new Said(words.accountNone, { asset: server.hostname });
  return { assetId: server.id, systemUserId: accountOf(accounts, server.hostname, account).id };
}

/** The same of servers and databases; a server comes first where both have a name. @throws Said */
export async function resolveTerminal(
  targets: SshTargets,
  databases: SshDatabases,
  userId: string,
  named: TargetName,
): Promise<ConnectionRequest> {
  const { asset, account } = named;
  const found = await databases.named(userId, asset);
  const [database, ...others] = found;
  if (!database || (await targets.named(userId, asset)).length > 0)
    return resolveTarget(targets, userId, named);
  if (others.length > 0) {
    const lines = found
      .slice(0, MAX_LISTED)
      .map(({ id, name, type, host }) => `${id}  ${name}  ${type}  ${host}`);
    throw new Said(words.databaseAmbiguous, { database: asset }, lines);
  }
  const accounts = await databases.accounts(userId, database.id);
  if (accounts.length === 0) throw new Said(words.databaseNoAccount, { database: database.name });
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

/** The one server that a name means. @throws Said */
export function oneServer(found: readonly GrantedTarget[], asset: string): GrantedTarget {
  const [first, ...others] = found;
  if (!first) throw new Said(words.assetUnknown, { asset });
  if (others.length === 0) return first;
  const lines = found
    .slice(0, MAX_LISTED)
    .map(({ id, hostname, ip, organization }) => `${id}  ${hostname}  ${ip}  ${organization}`);
  throw new Said(words.assetAmbiguous, { asset }, lines);
}

/** A name is a system user's own name first, a login name at the server only where no system user has that name. */
function namedAccount(
  accounts: readonly GrantedAccount[],
  target: string,
  account: string,
): GrantedAccount {
  for (const property of ['id', 'name', 'username'] as const) {
    const found = accounts.filter((one) => one[property] === account);
    const [first, ...others] = found;
    if (first && others.length === 0) return first;
    if (first)
      throw new Said(
        words.accountAmbiguous,
        { account, asset: target },
        found.slice(0, MAX_LISTED).map(lineOf),
      );
  }
  throw new Said(
    words.accountUnknown,
    { account, asset: target },
    accounts.slice(0, MAX_LISTED).map(lineOf),
  );
}

/** Without a name: the account with the highest priority, as the web terminal offers it. */
function offeredAccount(accounts: readonly GrantedAccount[], target: string): GrantedAccount {
  const offered = offeredAccounts(accounts);
  const [first, ...others] = offered;
  if (first && others.length === 0) return first;
  throw new Said(words.accountOpen, { asset: target }, offered.slice(0, MAX_LISTED).map(lineOf));
}

/** Of some accounts those to offer unasked: the ones with the numerically highest priority. */
export function offeredAccounts(accounts: readonly GrantedAccount[]): GrantedAccount[] {
  const highest = Math.max(...accounts.map(({ priority }) => priority));
  return accounts.filter(({ priority }) => priority === highest);
}

const lineOf = ({ id, name, username }: GrantedAccount): string =>
  `${id}  ${name}${username && username !== name ? ` (${username})` : ''}`;
