import type { Language } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { likePattern } from '../../resources/search-text.ts';
import type { StoredCommands } from './stored-commands/texts.ts';

/** Whose statements, at which database, with which account. */
export interface StatementOwner {
  readonly organizationId: string;
  readonly userId: string;
  readonly databaseId: string;
  readonly systemUserId: string;
}

/** A statement that somebody ran before. */
export interface PastStatement {
  readonly text: string;
  readonly date: Date;
  readonly isDenied: boolean;
  readonly isFailed: boolean;
}

/** Commands that are read for one answer, and statements that an answer has. */
const MOST_READ = 1000;
const MOST_ANSWERED = 200;
/** The log keeps the beginning of a longer one: half a statement is not to be run. */
const KEPT_WHOLE = 4096;

interface Read {
  readonly id: string;
  readonly text: string;
  readonly date: Date;
  readonly isDenied: boolean;
  readonly isFailed: boolean;
  readonly isStored: boolean;
}

/**
 * The newest statements of one person with one account of one database, each text once, from the
 * log of commands: what the log does not have is not there.
 */
export async function pastStatements(
  { db, stored }: { readonly db: Db; readonly stored: StoredCommands },
  owner: StatementOwner,
  search: string,
  language: Language,
): Promise<readonly PastStatement[]> {
  const term = search.trim().toLowerCase();
  const { rows } = await sql<Read>`
    select c.id, c.input as text, c.date, c.is_denied as "isDenied", c.is_failed as "isFailed",
      c.stored_in is not null as "isStored"
    from session s join command c on c.session = s.id
    where s.org_id = ${owner.organizationId} and s.user_id = ${owner.userId} and s.asset_id =
      ${owner.databaseId} and s.target_kind = 'database_app'
      and s.system_user_id = ${owner.systemUserId} and not c.is_by_key_tree
        and char_length(c.input) < ${KEPT_WHOLE}
      and (c.stored_in is not null
        or ${term === '' ? sql`true` : sql`lower(c.input) like ${likePattern(term)}`})
    order by c.date desc, c.sequence desc limit ${MOST_READ}`.execute(db);
  const elsewhere = await stored.texts(
    rows.filter(({ isStored }) => isStored).map(({ id }) => id),
    language,
    db,
  );
  const found = new Map<string, PastStatement>();
  for (const { id, isStored, text: own, date, isDenied, isFailed } of rows) {
    const read = isStored ? elsewhere.get(id) : { input: own, problem: undefined };
    if (
      !read ||
      read.problem ||
      read.input.length >= KEPT_WHOLE ||
      !read.input.toLowerCase().includes(term) ||
      found.has(read.input)
    )
      continue;
    found.set(read.input, { text: read.input, date, isDenied, isFailed });
    if (found.size >= MOST_ANSWERED) break;
  }
  return [...found.values()];
}
