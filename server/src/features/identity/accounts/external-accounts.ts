import { type Problem, user } from '@sallyport/contract';
import type { Caller, ExternalSource } from '../../../platform/actor.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { saveGood } from '../../../resources/write/imported-rows.ts';
import type { Writer } from '../../../resources/write/writer.ts';
import { foldedName } from './folded-name.ts';

/** Data of a person at a directory or provider. A change keeps the fields that it omits. */
export interface ExternalFacts {
  readonly name: string;
  readonly email: string;
  readonly phone?: string | null;
  readonly wechat?: string;
  readonly comment?: string | null;
}

/** An account that a source creates, or changes if it has an id. */
export type ExternalAccount =
  | { readonly username: string; readonly facts: ExternalFacts }
  | { readonly id: string; readonly facts: ExternalFacts };

/** The id of the saved account, or the field that prevented it. */
export type ExternalOutcome =
  | { readonly id: string }
  | { readonly field: string; readonly problem: Problem };

/** A stored account that a source might write. */
export interface KnownAccount {
  readonly id: string;
  readonly username: string;
  readonly name: string;
  readonly email: string;
  readonly phone: string | null;
  readonly wechat: string;
  readonly comment: string | null;
  readonly source: string;
}

/** Returns the accounts with these usernames, in any case. */
export async function accountsNamed(
  usernames: readonly string[],
  on: Db | Tx,
): Promise<KnownAccount[]> {
  const { rows } = await sql<KnownAccount>`
    select id, username, name, email, phone, wechat, comment, source from account
    where folded_name(username) = any (${usernames.map(foldedName)})
    order by id`.execute(on);
  return rows;
}

/** Maximum characters of a field without its own limit. */
const MAX_TEXT = 1_000;

/** Returns a text on one line, truncated to the limit of its field. */
export function textOf(field: keyof ExternalFacts, text: string): string {
  return text
    .replace(/\p{Cc}/gu, ' ')
    .trim()
    .slice(0, user.fields[field].max ?? MAX_TEXT);
}

/**
 * Returns a placeholder address for a person without one: every account needs a unique address, and
 * this one reaches no mailbox.
 */
export const addressFor = (username: string): string =>
  `${username.replaceAll('@', '.')}@localhost`;

/**
 * Writes accounts by the rules of all accounts and skips invalid ones. Results are in the order of
 * `accounts`.
 */
export async function saveExternalAccounts(
  source: ExternalSource,
  accounts: readonly ExternalAccount[],
  { writer, caller, tx }: { readonly writer: Writer; readonly caller: Caller; readonly tx: Tx },
): Promise<ExternalOutcome[]> {
  const drafts = accounts.map((account) =>
    'id' in account
      ? { id: account.id, body: account.facts, mode: 'change' as const }
      : { body: { username: account.username, ...account.facts, source }, mode: 'create' as const },
  );
  const saved = await saveGood(writer, drafts, caller, tx);
  return saved.map((one): ExternalOutcome => {
    if ('row' in one) return { id: String(one.row.id) };
    const [field = 'non_field_errors', [problem] = []] = Object.entries(one.problems)[0] ?? [];
    return { field, problem: problem ?? { code: 'conflict' } };
  });
}
