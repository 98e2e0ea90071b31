import type { ErrorCode, PasswordEnd, SourceState } from '@sallyport/contract';
import { databaseClock } from '../../../platform/clock.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import type { SettingsService } from '../../../platform/settings/service.ts';
import type { FirstFactor } from '../sign-in/machine.ts';

const DAY_MILLISECONDS = 86_400_000;

/** State of an account at its source, as last read. */
export interface AtSource {
  readonly source: string;
  readonly source_state: SourceState;
  /** When the source last confirmed the user. */
  readonly date_proved: Date;
}

/** Columns of {@link AtSource} from account `a`. The creation of an account counts as a proof. */
export const AT_SOURCE: Sql = sql`a.source, a.source_state, coalesce(
  (select p.date_proved from source_proof p where p.user_id = a.id and a.source <> 'local'),
  a.date_joined) as date_proved`;

/**
 * Returns true if the source confirmed the user too long ago for keys, tokens and devices, which
 * never ask the source.
 */
export function isProofOld(
  { source, date_proved: proved }: AtSource,
  settings: Pick<SettingsService, 'get'>,
): boolean {
  const days = settings.get('SECURITY_SOURCE_PROOF_MAX_DAYS');
  return source !== 'local' && proved.getTime() <= databaseClock.now() - days * DAY_MILLISECONDS;
}

/**
 * Returns why an account cannot sign in with a first factor that its source has not checked.
 * Undefined for a password or a sign-in that the source has just confirmed.
 */
export function refusalAtSource(
  account: AtSource,
  first: FirstFactor,
  settings: Pick<SettingsService, 'get'>,
): Extract<ErrorCode, 'source_locked' | 'source_must_change' | 'source_proof_old'> | undefined {
  if (account.source === 'local' || first === 'password' || first === 'external') return undefined;
  if (account.source_state === 'locked') return 'source_locked';
  if (account.source_state === 'must_change') return 'source_must_change';
  return isProofOld(account, settings) ? 'source_proof_old' : undefined;
}

/** Data-modifying query: the source of an account has confirmed its user now. */
export const proofNow = (userId: string): Sql => sql`
  insert into source_proof (user_id)
  select a.id from account a where a.id = ${userId}::uuid and a.source <> 'local'
  on conflict (user_id) do update set date_proved = now()`;

/**
 * Forgets what an earlier source said about an account; the administrator who changed the source
 * vouches for the user.
 */
export async function forgetSource(userId: string, tx: Tx): Promise<void> {
  await sql`
    update account set source_state = 'listed', date_source_state = null, shut_by_source = false,
      date_shut_by_source = null
    where id = ${userId}`.execute(tx);
  await sql`delete from source_proof where user_id = ${userId}`.execute(tx);
  await proofNow(userId).execute(tx);
}

/** Limits of a password that its source accepts. Undefined: the source did not say. */
export interface PasswordLimits {
  /** Sign-ins that are left with an expired password. */
  readonly graceLeft?: number | undefined;
  /** Seconds until the password expires. */
  readonly expiresIn?: number | undefined;
}

/** Stores what the source has just said about the end of a password, or that it said nothing. */
export async function keepPasswordEnd(
  userId: string,
  { graceLeft, expiresIn }: PasswordLimits,
  on: Db | Tx,
): Promise<void> {
  if (graceLeft === undefined && expiresIn === undefined) {
    await sql`
      update source_proof set date_password_expired = null, sign_ins_left = null
      where user_id = ${userId}
        and (date_password_expired is not null or sign_ins_left is not null)`.execute(on);
    return;
  }
  const signInsLeft = graceLeft === undefined ? null : Math.max(0, graceLeft);
  await sql`
    insert into source_proof as p (user_id, date_password_expired, sign_ins_left)
    select a.id, now() + make_interval(secs => ${expiresIn ?? null}::float8),
      ${signInsLeft}::integer
    from account a where a.id = ${userId}::uuid and a.source <> 'local'
    on conflict (user_id) do update set date_password_expired = excluded.date_password_expired,
      sign_ins_left = excluded.sign_ins_left`.execute(on);
}

/**
 * Query: the end of the password of account `a`, as its source said at the last sign-in with it. A
 * moment that has passed says nothing: the user may have changed the password there.
 */
export const passwordEndAtSource: Sql = sql`
  select case when p.date_password_expired > now() then
      ceil(extract(epoch from p.date_password_expired - now()) / 86400)::integer end as days,
    p.sign_ins_left as sign_ins
  from source_proof p where p.user_id = a.id and a.source <> 'local'`;

/** Returns the end of an external password, as its source said at the last sign-in with it. */
export async function readPasswordEnd(
  { id, source }: { readonly id: string; readonly source: string },
  on: Db | Tx,
): Promise<PasswordEnd | undefined> {
  if (source === 'local') return undefined;
  const { rows } = await sql<PasswordEnd>`
    select source.days as "daysLeft", source.sign_ins as "signInsLeft"
    from account a join lateral (${passwordEndAtSource}) source on true
    where a.id = ${id}`.execute(on);
  return rows[0];
}

/** Returns true if two permanent ids are of one kind of directory, so that they can be compared. */
export const isSameKind = (one: string, other: string): boolean =>
  one.split(':')[0] === other.split(':')[0];

/** Minutes within which further reads of the directory store no new proof. */
const PROOF_MINUTES = 60;

/** Stores that a read of the source listed accounts, with their permanent ids there. */
export async function keepProofs(
  proofs: readonly { readonly id: string; readonly key: string | undefined }[],
  on: Db | Tx,
): Promise<void> {
  if (proofs.length === 0) return;
  await sql`
    insert into source_proof as p (user_id, source_key)
    select r.id, r.key from jsonb_to_recordset(${JSON.stringify(proofs)}::jsonb)
      as r (id uuid, key text)
    on conflict (user_id) do update
      set date_proved = now(), source_key = coalesce(excluded.source_key, p.source_key)
      where p.source_key is distinct from coalesce(excluded.source_key, p.source_key)
        or p.date_proved < now() - make_interval(mins => ${PROOF_MINUTES})`.execute(on);
}
