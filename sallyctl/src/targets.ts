import type {
  GrantedAppSystemUser,
  GrantedAsset,
  GrantedSystemUser,
} from '../../contract/src/index.ts';
import { Failure, STATUS } from './failure.ts';
import { t } from './language.ts';
import { plain } from './print.ts';
import type { Server } from './server.ts';
import { words } from './words.ts';

/** A database of `perms/users/database-apps/`. */
export interface GrantedDatabase {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly host: string;
  readonly org_name: string;
}

/** A cluster of `perms/users/clusters/`. */
export interface GrantedCluster {
  readonly id: string;
  readonly name: string;
  readonly org_name: string;
}

export interface Named {
  readonly id: string;
  readonly name: string;
}

const ASSETS = 'perms/users/assets/';
const DATABASES = 'perms/users/database-apps/';
const CLUSTERS = 'perms/users/clusters/';
/** Matches of a search that are compared with a name. */
const MAX_MATCHES = 200;

export const assets = (server: Server, search: string, max?: number) =>
  server.rows<GrantedAsset>(ASSETS, search === '' ? {} : { search }, max);
export const databases = (server: Server, search: string, max?: number) =>
  server.rows<GrantedDatabase>(DATABASES, search === '' ? {} : { search }, max);

export const accountsOn = (server: Server, asset: string) =>
  server.get<GrantedSystemUser[]>(`${ASSETS}${asset}/system-users/`);
export const accountsOf = (server: Server, database: string) =>
  server.get<GrantedAppSystemUser[]>(`${DATABASES}${database}/system-users/`);

export const clusterAccountsOf = (server: Server, cluster: string) =>
  server.get<GrantedAppSystemUser[]>(`${CLUSTERS}${cluster}/system-users/`);

/** A target as the user names it: `ASSET` or `ASSET@account`. */
export interface Target<T> {
  readonly thing: T;
  readonly account: string | undefined;
}

/**
 * Finds a target among rows that `find` returns for a name. The whole text may be a name with `@`.
 * If it is, and its beginning names another row, the text is ambiguous: the owner of a server
 * chooses its name.
 * @throws Failure for no match, and for several
 */
async function findTarget<T extends { readonly id: string; readonly org_name: string }>(
  text: string,
  find: (name: string) => Promise<readonly T[]>,
): Promise<Target<T>> {
  const at = text.lastIndexOf('@');
  const wholes = (await find(text)).map((thing) => ({ thing, account: undefined }));
  const account = text.slice(at + 1) || undefined;
  const parts = at > 0 ? await find(text.slice(0, at)) : [];
  const matches: readonly Target<T>[] = [...wholes, ...parts.map((thing) => ({ thing, account }))];
  const [match, ...others] = matches;
  if (!match) throw new Failure(t(words.noTarget, { name: text }), STATUS.notFound);
  if (others.length === 0) return match;
  const list = matches.map(({ thing }) => `  ${plain(thing.id)}  ${plain(thing.org_name)}`);
  throw new Failure(
    `${t(words.severalNamed, { name: text })}\n${list.join('\n')}`,
    STATUS.notFound,
  );
}

const isId = (text: string) => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);

/** Finds a granted asset by host name, address or id. @throws Failure */
export const findAsset = (server: Server, text: string): Promise<Target<GrantedAsset>> =>
  findTarget(text, async (name) => {
    const { rows } = isId(name)
      ? await server.rows<GrantedAsset>(ASSETS, { id: name }, 1)
      : await assets(server, name, MAX_MATCHES);
    return rows.filter(
      ({ id, hostname, ip }) => hostname === name || ip === name || id === name.toLowerCase(),
    );
  });

/** Finds a granted database by name or id. @throws Failure */
export const findDatabase = (server: Server, text: string): Promise<Target<GrantedDatabase>> =>
  findTarget(text, async (name) => {
    const { rows } = isId(name)
      ? await server.rows<GrantedDatabase>(DATABASES, { id: name }, 1)
      : await databases(server, name, MAX_MATCHES);
    return rows.filter(({ id, name: own }) => own === name || id === name.toLowerCase());
  });

/** Finds a granted cluster by name or id. @throws Failure */
export const findCluster = (server: Server, text: string): Promise<Target<GrantedCluster>> =>
  findTarget(text, async (name) => {
    const { rows } = await server.rows<GrantedCluster>(
      CLUSTERS,
      isId(name) ? { id: name } : { search: name },
      MAX_MATCHES,
    );
    return rows.filter(({ id, name: own }) => own === name || id === name.toLowerCase());
  });

/**
 * Chooses an account by name, login name or id; without one, the only one.
 * @throws Failure that lists the accounts
 */
export function chooseAccount<A extends Named & { readonly username: string }>(
  accounts: readonly A[],
  wanted: string | undefined,
  target: string,
): A {
  const matches =
    wanted === undefined
      ? accounts
      : accounts.filter(({ id, name, username }) => [id, name, username].includes(wanted));
  const [account, ...others] = matches;
  if (account && others.length === 0) return account;
  const list = accounts.map(
    ({ name, username }) => `  ${plain(target)}@${plain(name)}  ${plain(username)}`,
  );
  const sentence = accounts.length === 0 ? words.noAccount : words.whichAccount;
  throw new Failure([t(sentence, { target }), ...list].join('\n'), STATUS.notFound);
}
