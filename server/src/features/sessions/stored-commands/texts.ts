import {
  type Language,
  type LocalText,
  parseDatetime,
  type SearchTerm,
  say,
} from '@sallyport/contract';
import type { Caller } from '../../../platform/actor.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { CommandTexts } from '../../../platform/elastic/command-index.ts';
import { SEARCH_MAX } from '../../../platform/elastic/command-index.ts';
import { Invalid, invalid, Unavailable } from '../../../platform/errors.ts';
import type { Logger } from '../../../platform/log.ts';
import { type CommandIndexes, commandStorageById, storagesWithCommands } from './storages.ts';

const MISSING: LocalText = {
  en: '(no longer in the command storage)',
  zh: '（命令存储中已不存在）',
};
const AWAY: LocalText = {
  en: '(cannot reach the command storage {name})',
  zh: '（无法连接命令存储“{name}”）',
};
/** Texts per request. */
const BATCH = 500;

/** The text of a command, or the note shown instead. */
export interface StoredTexts extends CommandTexts {
  readonly problem?: 'missing' | 'away';
}

/** Reads texts from command storages for users with access to the rows. */
export interface StoredCommands {
  /**
   * Returns the texts of the given commands that are in a storage. If the storage or the text is
   * missing, a note in the language of the reader replaces the text.
   */
  texts(
    ids: readonly string[],
    language: Language,
    db?: Db | Tx,
  ): Promise<ReadonlyMap<string, StoredTexts>>;
  /**
   * Returns the ids of commands of the caller's organization whose stored texts match a list query.
   * @throws Unavailable if a storage does not answer
   * @throws Invalid if too many commands match, or for whole words and patterns, which storages
   * cannot find
   */
  find(
    query: URLSearchParams,
    terms: readonly SearchTerm[],
    caller: Caller,
  ): Promise<readonly string[]>;
}

export function createStoredCommands({
  db: ownDb,
  indexes,
  log,
}: {
  readonly db: Db;
  readonly indexes: CommandIndexes;
  readonly log?: Logger;
}): StoredCommands {
  return {
    async texts(ids, language, db = ownDb) {
      const result = new Map<string, StoredTexts>();
      if (ids.length === 0) return result;
      const { rows } = await sql<{ storage: string; ids: string[] }>`
        select stored_in as storage, array_agg(id::text) as ids from command
          where id = any(${ids}::uuid[]) and stored_in is not null group by 1`.execute(db);
      for (const { storage, ids: own } of rows) {
        const row = await commandStorageById(db, storage);
        if (!row) continue;
        for (let at = 0; at < own.length; at += BATCH) {
          const some = own.slice(at, at + BATCH);
          const texts = await indexes
            .of(row)
            .texts(some)
            .catch((error: unknown) => {
              log?.error(
                { storage: row.name, problem: String(error) },
                'the texts of commands could not be read',
              );
              return undefined;
            });
          for (const id of some) {
            const missing = texts ? ('missing' as const) : ('away' as const);
            result.set(
              id,
              texts?.get(id) ?? {
                input: say(texts ? MISSING : AWAY, language, { name: row.name }),
                output: '',
                problem: missing,
              },
            );
          }
        }
      }
      return result;
    },
    async find(query, terms, { actor, zone }) {
      const last = (name: string) => (query.getAll(name).at(-1) ?? '').trim();
      const input = last('input').toLowerCase();
      if (terms.length === 0 && input === '') return [];
      const words = terms.map(({ text }) => text.toLowerCase());
      const matches: string[] = [];
      for (const storage of await storagesWithCommands(ownDb)) {
        if (terms.some(({ kind }) => kind !== 'text'))
          throw invalid('search', 'search_texts_only', { name: storage.name });
        const search = {
          organization: actor.organization.id,
          parts: [...words, ...(input === '' ? [] : [input])],
          session: last('session_id') || last('session') || undefined,
          from: parseDatetime(last('date_from'), zone) ?? undefined,
          to: parseDatetime(last('date_to'), zone) ?? undefined,
        };
        const ids = await indexes
          .of(storage)
          .search(search, SEARCH_MAX)
          .catch((error: unknown) => {
            throw new Unavailable('command_storage_away', {
              name: storage.name,
              reason: error instanceof Error ? error.message : String(error),
            });
          });
        if (ids.length >= SEARCH_MAX)
          throw new Invalid({
            [words.length > 0 ? 'search' : 'input']: [
              { code: 'commands_too_many', params: { max: SEARCH_MAX - 1 } },
            ],
          });
        matches.push(...ids);
      }
      return matches;
    },
  };
}
