import { type ExternalSource, type Problem, type SourceState, user } from '@sallyport/contract';
import type { Caller } from '../../../platform/actor.ts';
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
  | { readonly id: string; readonly username?: string; readonly facts: ExternalFacts };

/** The id of the saved account, or the field that prevented it. */
export type ExternalOutcome =
  | { readonly id: string }
  | { readonly field: string; readonly problem: Problem };

/** A stored account that a source might write. */
export interface KnownAccount {
  /** Permanent id of the user at the source; null if unknown. */
  readonly key: string | null;
  /** True if the source reported groups of the user. */
  readonly has_groups: boolean;
  readonly source_state: SourceState;
  readonly id: string;
  readonly username: string;
  readonly name: string;
  readonly email: string;
  readonly phone: string | null;
  readonly wechat: string;
  readonly comment: string | null;
  readonly source: string;
}

/** Returns the accounts with these usernames, in any case, or with these permanent ids. */
export async function accountsNamed(
  usernames: readonly string[],
  on: Db | Tx,
  keys: readonly string[] = [],
): Promise<KnownAccount[]> {
  const { rows } = await sql<KnownAccount>`
    select a.id, a.username, a.name, a.email, a.phone, a.wechat, a.comment, a.source,
      a.source_state, p.source_key as key, coalesce(cardinality(g.groups) > 0, false) as has_groups
    from account a left join source_proof p on p.user_id = a.id
      left join provider_groups g on g.user_id = a.id and g.source = a.source
    where folded_name(a.username) = any (${usernames.map(foldedName)})
      or a.id in (select user_id from source_proof where source_key = any (${[...keys]}::text[]))
    order by a.id`.execute(on);
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
      ? {
          id: account.id,
          body: { ...account.facts, ...(account.username && { username: account.username }) },
          mode: 'change' as const,
        }
      : { body: { username: account.username, ...account.facts, source }, mode: 'create' as const },
  );
  const saved = await saveGood(writer, drafts, caller, tx);
  return saved.map((one): ExternalOutcome => {
    if ('row' in one) return { id: String(one.row.id) };
    const [field = 'non_field_errors', [problem] = []] = Object.entries(one.problems)[0] ?? [];
    return { field, problem: problem ?? { code: 'conflict' } };
  });
}
