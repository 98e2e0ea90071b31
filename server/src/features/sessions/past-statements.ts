import { DECLINED_VERDICTS, type Language } from '@sallyport/contract';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { likePattern } from '../../resources/read/search.ts';
import type { StoredCommands } from './stored-commands/texts.ts';

/** Selects statements by user, database and account. */
export interface StatementOwner {
  readonly organizationId: string;
  readonly userId: string;
  readonly databaseId: string;
  readonly systemUserId: string;
}

/** A statement that the user ran earlier. */
export interface PastStatement {
  readonly text: string;
  readonly date: Date;
  readonly isDenied: boolean;
  /** The user decided that it does not run. */
  readonly isDeclined: boolean;
  readonly isFailed: boolean;
}

/** Maximum number of commands read, and of statements returned. */
const MOST_READ = 1000;
const MOST_ANSWERED = 200;
/**
 * The log truncates statements at this length. Truncated statements are not offered to be run
 * again.
 */
const KEPT_WHOLE = 4096;

/** A masked secret is no password: a statement with one is not offered to be run again. */
const MASKED = /["'`=:@ ]\*{4,}(?!\/)/;

interface CommandRow {
  readonly id: string;
  readonly text: string;
  readonly date: Date;
  readonly isDenied: boolean;
  readonly isDeclined: boolean;
  readonly isFailed: boolean;
  readonly isStored: boolean;
}

/**
 * The newest distinct statements of one user with one account of one database, from the command
 * log.
 */
export async function pastStatements(
  { db, stored }: { readonly db: Db; readonly stored: StoredCommands },
  owner: StatementOwner,
  search: string,
  language: Language,
): Promise<readonly PastStatement[]> {
  const term = search.trim().toLowerCase();
  const { rows } = await sql<CommandRow>`
    select c.id, c.input as text, c.date, c.is_denied as "isDenied", c.is_failed as "isFailed",
      c.verdict = any (${DECLINED_VERDICTS}::text[]) as "isDeclined",
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
  const statements = new Map<string, PastStatement>();
  for (const { id, isStored, text: own, ...outcome } of rows) {
    const read = isStored ? elsewhere.get(id) : { input: own, problem: undefined };
    if (
      !read ||
      read.problem ||
      read.input.length >= KEPT_WHOLE ||
      MASKED.test(read.input) ||
      !read.input.toLowerCase().includes(term) ||
      statements.has(read.input)
    )
      continue;
    statements.set(read.input, { text: read.input, ...outcome });
    if (statements.size >= MOST_ANSWERED) break;
  }
  return [...statements.values()];
}
