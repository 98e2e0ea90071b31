import type { PasswordEnd } from '@sallyport/contract';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { notFound } from '../../../platform/errors.ts';
import { passwordEndAtSource } from '../source-state/proof.ts';

/**
 * Returns the second factor level of an account: 0 none, 1 chosen by the user, 2 set by an
 * administrator.
 */
export async function mfaLevelOf(id: string, db: Db): Promise<0 | 1 | 2> {
  const { rows } = await sql<{
    mfa_level: 0 | 1 | 2;
  }>`select mfa_level from account where id = ${id}`.execute(db);
  return rows[0]?.mfa_level ?? 0;
}

/** Returns the source of an account; '' for an unknown id. */
export async function sourceOf(id: string, db: Db): Promise<string> {
  const { rows } = await sql<{
    source: string;
  }>`select source from account where id = ${id}`.execute(db);
  return rows[0]?.source ?? '';
}

/**
 * Returns the id of the valid local account with a mail address. Holders of a duty are not among
 * them: the mail server belongs to the system administrator.
 */
export async function localAccountByEmail(email: string, db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from account
    where lower(email) = lower(${email}) and source = 'local' and duty = '' and is_active
      and coalesce(date_expired > now(), true)`.execute(db);
  return rows[0]?.id;
}

/** Returns the SSH public key of an account; '' without one. */
export async function publicKeyOf(id: string, db: Db): Promise<string> {
  const { rows } = await sql<{
    public_key: string | null;
  }>`select public_key from account where id = ${id}`.execute(db);
  return rows[0]?.public_key ?? '';
}

/** Replaces the SSH public key of the profile of an account. */
export async function setPublicKey(id: string, line: string, tx: Tx): Promise<void> {
  await sql`update account set public_key = ${line} where id = ${id}`.execute(tx);
}

/** Replaces the password hash of a local account. */
export async function setPassword(id: string, hashed: string, tx: Tx): Promise<void> {
  await sql`
    update account set password = ${hashed}, date_password_last_updated = now()
    where id = ${id} and source = 'local'`.execute(tx);
}

/** Marks the first sign-in of an account as complete: its user agreed to recording. */
export async function completeFirstSignIn(id: string, tx: Tx): Promise<void> {
  await sql`update account set is_first_login = false where id = ${id}`.execute(tx);
}

/** Returns the stored public key, and the end of the password. */
export async function profileFactsOf(
  id: string,
  passwordDays: number,
  db: Db,
): Promise<PasswordEnd & { readonly publicKey: string | null }> {
  const { rows } = await sql<PasswordEnd & { publicKey: string | null }>`
    select a.public_key as "publicKey",
      case when a.source = 'local' then
        greatest(0, ceil(extract(epoch from
          a.date_password_last_updated + make_interval(days => ${passwordDays}) - now()
        ) / 86400))::integer
      else source.days end as "daysLeft", source.sign_ins as "signInsLeft"
    from account a left join lateral (${passwordEndAtSource}) source on true
    where a.id = ${id}`.execute(db);
  return rows[0] ?? { publicKey: null, daysLeft: null, signInsLeft: null };
}

/** Returns the stored fields that users change only after a confirmation. */
export async function confirmedFactsOf(
  id: string,
  db: Db,
): Promise<Readonly<Record<string, unknown>>> {
  const { rows } = await sql<
    Record<string, unknown>
  >`select name, email, date_expired, public_key from account where id = ${id}`.execute(db);
  return rows[0] ?? {};
}

/** Returns the stored fields of an account and locks its row until the end of the transaction. */
export async function lockAccount(id: string, tx: Tx): Promise<Readonly<Record<string, unknown>>> {
  const { rows } = await sql<{
    before: Record<string, unknown>;
  }>`select to_jsonb(t) as before from account t where id = ${id} for update`.execute(tx);
  return rows[0]?.before ?? {};
}

/**
 * Updates columns of an account. Column names come from declarations, never from a request body.
 */
export async function updateAccount(
  id: string,
  changes: readonly (readonly [name: string, value: unknown])[],
  tx: Tx,
): Promise<void> {
  const assignments = sql.join(changes.map(([name, value]) => sql`${sql.ref(name)} = ${value}`));
  await sql`update account set ${assignments} where id = ${id}`.execute(tx);
}

/**
 * Returns the preferences of an account; `lock` locks its row until the end of the transaction.
 * @throws NotFound
 */
export async function preferencesOf(id: string, on: Db | Tx, lock = false): Promise<unknown> {
  const { rows } = await sql<{ preferences: unknown }>`
    select preferences from account where id = ${id} ${lock ? sql`for update` : sql``}`.execute(on);
  if (!rows[0]) throw notFound();
  return rows[0].preferences;
}

/** Replaces the preferences of an account; `text` is JSON. */
export async function storePreferences(id: string, text: string, tx: Tx): Promise<void> {
  await sql`update account set preferences = ${text}::jsonb where id = ${id}`.execute(tx);
}
