import type { ErrorCode, SourceState } from '@sallyport/contract';
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
