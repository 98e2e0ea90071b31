import {
  ACCOUNT_ROLE_LABELS,
  type AccountRole,
  DUTY,
  type DutyOrNone,
  type StoredRowOf,
  type user,
  type ValuesOf,
} from '@sallyport/contract';
import { type Actor, FIRST_ADMINISTRATOR } from '../../../platform/actor.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { invalid } from '../../../platform/errors.ts';
import type { SettingsService } from '../../../platform/settings/service.ts';
import type { Operation } from '../../../resources/hooks.ts';
import { hasOffice } from '../duties.ts';
import { hasAuthenticator } from '../mfa/second-factors.ts';
import { storedFacts } from './allowed-changes.ts';

type UserRow = StoredRowOf<typeof user>;

/** Returns true if a write gives an existing account another duty. */
export const changesDuty = (
  { duty }: ValuesOf<typeof user>,
  previous: Pick<UserRow, 'duty'> | undefined,
): boolean => previous !== undefined && duty !== undefined && duty !== previous.duty;

/** Returns true if the caller may create an account with all rights while duties are separated. */
const breaksGlass = ({ username, name, session }: Actor): boolean =>
  username === FIRST_ADMINISTRATOR || (session.kind === 'system' && name === 'Command line');

/** Returns true if another user set the password of an account, and its user kept it. */
async function hasAssignedPassword(id: unknown, tx: Tx): Promise<boolean> {
  const { rows } = await sql`select from account
    where id = ${String(id)}::uuid and password_assigned`.execute(tx);
  return rows.length > 0;
}

/**
 * Checks that the holder of a duty proves the identity to this server alone: by a local password
 * that no other user knows, and a second factor. Directories, providers, the mail server and the
 * passwords of ordinary accounts belong to other duties.
 * @throws Invalid
 */
async function assertProvesHere(
  values: ValuesOf<typeof user>,
  previous: UserRow | undefined,
  isNew: boolean,
  tx: Tx,
): Promise<void> {
  const source = values.source ?? previous?.source ?? 'local';
  if (source !== 'local' && (isNew || source !== previous?.source))
    throw invalid(isNew ? 'duty' : 'source', 'duty_local');
  if (isNew) {
    if (!previous || !(await hasAuthenticator(String(previous.id), tx)))
      throw invalid('duty', 'duty_factor');
    if (values.password || (await hasAssignedPassword(previous.id, tx)))
      throw invalid('duty', 'duty_password');
    values.mfa_level = 2;
  }
  if (values.mfa_level !== undefined && values.mfa_level !== 2)
    throw invalid('mfa_level', 'duty_mfa_level');
}

/**
 * Checks role and duty of an account together. A new duty sets the role and the level of the second
 * factor that it needs.
 * @throws Invalid
 */
export async function assertDuty(
  values: ValuesOf<typeof user>,
  previous: UserRow | undefined,
  settings: Pick<SettingsService, 'get'>,
  { caller: { actor }, tx }: Pick<Operation, 'caller' | 'tx'>,
): Promise<void> {
  const duty = (values.duty ?? previous?.duty ?? '') as DutyOrNone;
  const isNew = duty !== (previous?.duty ?? '');
  if (duty !== '' && isNew) values.role ??= DUTY[duty].role;
  const role = (values.role ?? previous?.role ?? 'User') as AccountRole;
  if (duty !== '') {
    const needed = DUTY[duty].role;
    if (role !== needed) throw invalid('duty', 'duty_role', { role: ACCOUNT_ROLE_LABELS[needed] });
    if (isNew && previous && hasOffice(storedFacts(previous))) throw invalid('duty', 'duty_office');
    await assertProvesHere(values, previous, isNew, tx);
    return;
  }
  if (role === 'User' || (!isNew && role === previous?.role)) return;
  if (actor.duty !== '' || (settings.get('SECURITY_SEPARATE_DUTIES') && !breaksGlass(actor)))
    throw invalid('duty', 'duty_required');
}
