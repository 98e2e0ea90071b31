import type { Db } from '../../platform/db/database.ts';
import type { AgentPerson } from '../connections/index.ts';
import { createNamedDatabases } from '../connections/index.ts';
import type { RunRequest, Target } from './calls.ts';
import { covers, reaches } from './leash.ts';
import type { LiveAgent } from './store.ts';

/** Granted databases that a list reads, and databases that it returns. */
const MOST_READ = 1000;
const MOST_LISTED = 200;

/** A server or database that an agent may use. */
export interface ListedPlace {
  readonly comment: string;
  readonly accounts: readonly { readonly account: string; readonly username: string }[];
}

/** Databases whose statements an agent can run. */
const SQL_TYPES: readonly string[] = ['mysql', 'mariadb', 'postgresql'];

/** A database that an agent may query. */
export interface ListedDatabase extends ListedPlace {
  readonly database: string;
  readonly type: string;
}

/** Finds the databases and accounts of agents: those of their owners, within the leash. */
export function createDatabaseTargets(db: Db) {
  const granted = createNamedDatabases(db);
  const accountsOf = async (
    agent: LiveAgent,
    { userId }: AgentPerson,
    { id, name: host, type }: { readonly id: string; readonly name: string; readonly type: string },
  ) =>
    SQL_TYPES.includes(type)
      ? (await granted.accounts(userId, id)).filter(({ name: account, username }) =>
          covers(agent, { kind: 'database_app', host, account, username }),
        )
      : [];
  return {
    /** Returns the account of a statement; undefined if owner and leash do not both have it. */
    async find(
      agent: LiveAgent,
      person: AgentPerson,
      { host, account }: Pick<RunRequest, 'host' | 'account'>,
    ): Promise<Target | undefined> {
      for (const database of await granted.named(person.userId, host)) {
        const accounts = await accountsOf(agent, person, database);
        const chosen = accounts.find(
          ({ name, username }) => account === undefined || name === account || username === account,
        );
        if (chosen)
          return {
            kind: 'database_app',
            assetId: database.id,
            systemUserId: chosen.id,
            account: chosen.name,
            isPosix: false,
          };
      }
      return undefined;
    },

    /** Returns databases in the order of their names. */
    async list(
      agent: LiveAgent,
      person: AgentPerson,
      search: string,
    ): Promise<{ readonly databases: readonly ListedDatabase[]; readonly truncated: boolean }> {
      const words = { words: search, limit: MOST_READ, offset: 0 };
      const { results, count } = await granted.search(person.userId, words);
      const leashed = results.filter(
        ({ name: host, type }) =>
          SQL_TYPES.includes(type) && reaches(agent, { kind: 'database_app', host }),
      );
      const databases: ListedDatabase[] = [];
      // One after the other: a list must not take all connections to the database.
      for (const database of leashed.slice(0, MOST_LISTED)) {
        const accounts = await accountsOf(agent, person, database);
        if (accounts.length > 0)
          databases.push({
            database: database.name,
            type: database.type,
            comment: database.comment.slice(0, 200),
            accounts: accounts.map(({ name, username }) => ({ account: name, username })),
          });
      }
      return { databases, truncated: leashed.length > MOST_LISTED || count > results.length };
    },
  };
}
