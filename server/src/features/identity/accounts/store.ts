import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { notFound } from '../../../platform/errors.ts';

/** What an account demands of its second factor: 0 nothing, 1 chosen by the person, 2 set by an administrator. */
export async function mfaLevelOf(id: string, db: Db): Promise<0 | 1 | 2> {
  const { rows } = await sql<{
    mfa_level: 0 | 1 | 2;
  }>`select mfa_level from account where id = ${id}`.execute(db);
  return rows[0]?.mfa_level ?? 0;
}

/** Where the password of an account is kept. */
export async function sourceOf(id: string, db: Db): Promise<string> {
  const { rows } = await sql<{
    source: string;
  }>`select source from account where id = ${id}`.execute(db);
  return rows[0]?.source ?? '';
}

/** The id of the usable local account with an address. */
export async function localAccountByEmail(email: string, db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from account where lower(email) = lower(${email}) and source = 'local' and is_active and coalesce(date_expired > now(), true)`.execute(
    db,
  );
  return rows[0]?.id;
}

/** The SSH public key of an account; blank for none. */
export async function publicKeyOf(id: string, db: Db): Promise<string> {
  const { rows } = await sql<{
    public_key: string | null;
  }>`select public_key from account where id = ${id}`.execute(db);
  return rows[0]?.public_key ?? '';
}

/** Replaces the SSH public key of an account, or removes it. */
export async function setPublicKey(id: string, line: string | null, tx: Tx): Promise<void> {
  await sql`update account set public_key = ${line} where id = ${id}`.execute(tx);
}

/** Replaces the password of a local account by its new hash. */
export async function setPassword(id: string, hashed: string, tx: Tx): Promise<void> {
  await sql`update account set password = ${hashed}, date_password_last_updated = now() where id = ${id} and source = 'local'`.execute(
    tx,
  );
}

/** The stored public key, and the days until a local password expires. */
export async function profileFactsOf(
  id: string,
  passwordDays: number,
  db: Db,
): Promise<{ readonly publicKey: string | null; readonly daysLeft: number | null }> {
  const { rows } = await sql<{ publicKey: string | null; daysLeft: number | null }>`
    select public_key as "publicKey", case when source = 'local' then
      greatest(0, ceil(extract(epoch from date_password_last_updated + make_interval(days => ${passwordDays}) - now()) / 86400))::integer end as "daysLeft"
    from account where id = ${id}`.execute(db);
  return rows[0] ?? { publicKey: null, daysLeft: null };
}

/** The fields that a person changes only after a confirmation, as they are stored. */
export async function confirmedFactsOf(
  id: string,
  db: Db,
): Promise<Readonly<Record<string, unknown>>> {
  const { rows } = await sql<
    Record<string, unknown>
  >`select name, email, date_expired, public_key from account where id = ${id}`.execute(db);
  return rows[0] ?? {};
}

/** The stored fields of an account; the row is locked until the transaction ends. */
export async function lockAccount(id: string, tx: Tx): Promise<Readonly<Record<string, unknown>>> {
  const { rows } = await sql<{
    before: Record<string, unknown>;
  }>`select to_jsonb(t) as before from account t where id = ${id} for update`.execute(tx);
  return rows[0]?.before ?? {};
}

/** Stores fields of an account; their names come from declarations, never from a body. */
export async function updateAccount(
  id: string,
  changes: readonly (readonly [name: string, value: unknown])[],
  tx: Tx,
): Promise<void> {
  const assignments = sql.join(changes.map(([name, value]) => sql`${sql.ref(name)} = ${value}`));
  await sql`update account set ${assignments} where id = ${id}`.execute(tx);
}

/** What an account's own clients have stored; locked until the transaction ends when it is to be changed. @throws NotFound */
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
