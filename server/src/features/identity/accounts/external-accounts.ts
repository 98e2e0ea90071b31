import { type Problem, user } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Caller, ExternalSource } from '../../../platform/actor.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { saveGood } from '../../../resources/save-good.ts';
import type { Writer } from '../../../resources/write.ts';

/** What a directory or a provider says about a person. Facts that are left out of a change stay as they are. */
export interface ExternalFacts {
  readonly name: string;
  readonly email: string;
  readonly phone?: string | null;
  readonly wechat?: string;
  readonly comment?: string | null;
}

/** An account that a source makes, or with an id one that it changes. */
export type ExternalAccount =
  | { readonly username: string; readonly facts: ExternalFacts }
  | { readonly id: string; readonly facts: ExternalFacts };

/** What became of it: its id, or the field that keeps it from being written. */
export type ExternalOutcome =
  | { readonly id: string }
  | { readonly field: string; readonly problem: Problem };

/** An account that a source might write, as it is stored. */
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

/** The accounts with one of these usernames, in any case. */
export async function accountsNamed(
  usernames: readonly string[],
  on: Db | Tx,
): Promise<KnownAccount[]> {
  const { rows } = await sql<KnownAccount>`
    select id, username, name, email, phone, wechat, comment, source from account
    where lower(username) = any (${usernames.map((username) => username.toLowerCase())}) order by id`.execute(
    on,
  );
  return rows;
}

/** The most characters of a text whose field has no limit of its own. */
const MAX_TEXT = 1_000;

/** A text of a source on one line, no longer than its field. */
export function textOf(field: keyof ExternalFacts, text: string): string {
  return text
    .replace(/\p{Cc}/gu, ' ')
    .trim()
    .slice(0, user.fields[field].max ?? MAX_TEXT);
}

/** The address of a person for whom the source has none: every account has one of its own, and this one leads nowhere. */
export const addressFor = (username: string): string =>
  `${username.replaceAll('@', '.')}@localhost`;

/** Writes accounts by the rules of all accounts; those that cannot be written are left out. Answers in their order. */
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
