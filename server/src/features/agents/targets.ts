import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { AgentPerson, NamedAssets } from '../connections/index.ts';
import {
  connects,
  type GrantedAccount,
  type GrantService,
  listGrantedAssets,
} from '../perms/index.ts';
import type { RunRequest, Target } from './calls.ts';
import { createDatabaseTargets, type ListedPlace } from './database-targets.ts';
import { covers } from './leash.ts';
import type { LiveAgent } from './store.ts';

/** Granted assets that a list reads, and hosts that it returns. */
const MOST_READ = 1000;
const MOST_LISTED = 200;

/** A host that an agent may use. */
export interface ListedHost extends ListedPlace {
  readonly host: string;
}

const usernameOf = (account: GrantedAccount, owner: string): string =>
  account.username_same_with_user ? owner : account.username;

/** Returns the accounts for SSH that the owner holds and the leash names, in the owner's order. */
const leashed = (
  accounts: readonly GrantedAccount[],
  {
    agent,
    host,
    owner,
  }: { readonly agent: LiveAgent; readonly host: string; readonly owner: string },
) =>
  accounts.filter(
    (each) =>
      each.protocol === 'ssh' &&
      connects(each) &&
      covers(agent, {
        kind: 'asset',
        host,
        account: each.name,
        username: usernameOf(each, owner),
      }),
  );

/** Returns true if the platform of an asset has shells that read quotes as POSIX says. */
async function isPosix(assetId: string, db: Db): Promise<boolean> {
  const { rows } = await sql<{ base: string }>`
    select p.base from asset a join platform p on p.name = a.platform
    where a.id = ${assetId}`.execute(db);
  return ['Linux', 'Unix', 'MacOS', 'BSD'].includes(rows[0]?.base ?? '');
}

/** Finds the hosts, databases and accounts of agents: those of their owners, within the leash. */
export function createTargets(db: Db, grants: GrantService, named: NamedAssets) {
  const databases = createDatabaseTargets(db);
  return {
    /** Returns databases in the order of their names. */
    listDatabases: databases.list,

    /** Returns the account of a call; undefined if owner and leash do not both have it. */
    async find(
      agent: LiveAgent,
      person: AgentPerson,
      request: Pick<RunRequest, 'tool' | 'host' | 'account'>,
    ): Promise<Target | undefined> {
      const { tool, host, account } = request;
      if (tool === 'query') return databases.find(agent, person, request);
      const { username: owner } = person;
      const asset = await named.read(person, host);
      const accounts = leashed(asset?.accounts ?? [], { agent, host, owner });
      const chosen =
        account === undefined
          ? accounts[0]
          : accounts.find((each) => each.name === account || usernameOf(each, owner) === account);
      if (!asset || !chosen) return undefined;
      return {
        kind: 'asset',
        assetId: asset.id,
        systemUserId: chosen.id,
        account: chosen.name,
        isPosix: await isPosix(asset.id, db),
      };
    },

    /** Returns hosts in the order of their names. */
    async list(
      agent: LiveAgent,
      { userId, username: owner }: AgentPerson,
      search: string,
    ): Promise<{ readonly hosts: readonly ListedHost[]; readonly truncated: boolean }> {
      const subject = { userId, organizationId: undefined };
      const query = new URLSearchParams({
        limit: String(MOST_READ),
        offset: '0',
        order: 'hostname',
        ...(search && { search }),
      });
      const granted = await grants.read(subject, (view) =>
        listGrantedAssets(db, view, query, { sortBy: 'hostname' }),
      );
      const { results, count } = Array.isArray(granted)
        ? { results: granted, count: granted.length }
        : granted;
      const accounts = await grants.accountsOn(
        subject,
        results.map(({ id }) => id),
      );
      const byAsset = Map.groupBy(accounts, ({ target }) => target);
      const hosts = results.flatMap(({ id, hostname: host, comment }) => {
        const own = leashed(byAsset.get(id) ?? [], { agent, host, owner });
        return own.length === 0
          ? []
          : [
              {
                host,
                comment: comment.slice(0, 200),
                accounts: own.map((each) => ({
                  account: each.name,
                  username: usernameOf(each, owner),
                })),
              },
            ];
      });
      return {
        hosts: hosts.slice(0, MOST_LISTED),
        truncated: hosts.length > MOST_LISTED || count > results.length,
      };
    },
  };
}

export type Targets = ReturnType<typeof createTargets>;
