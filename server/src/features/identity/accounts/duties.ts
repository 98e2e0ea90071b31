import {
  ACCOUNT_ROLE_LABELS,
  type AccountRole,
  DUTY,
  type DutyOrNone,
  type StoredRowOf,
  type user,
  type ValuesOf,
} from '@sallyport/contract';
import { type Actor, type Caller, FIRST_ADMINISTRATOR } from '../../../platform/actor.ts';
import { invalid } from '../../../platform/errors.ts';
import type { SettingsService } from '../../../platform/settings/service.ts';
import { hasOffice } from '../duties.ts';
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

/**
 * Checks role and duty of an account together. A new duty sets the role that it needs.
 * @throws Invalid
 */
export function assertDuty(
  values: ValuesOf<typeof user>,
  previous: UserRow | undefined,
  settings: Pick<SettingsService, 'get'>,
  { actor }: Caller,
): void {
  const duty = (values.duty ?? previous?.duty ?? '') as DutyOrNone;
  const isNew = duty !== (previous?.duty ?? '');
  if (duty !== '' && isNew) values.role ??= DUTY[duty].role;
  const role = (values.role ?? previous?.role ?? 'User') as AccountRole;
  if (duty !== '') {
    const needed = DUTY[duty].role;
    if (role !== needed) throw invalid('duty', 'duty_role', { role: ACCOUNT_ROLE_LABELS[needed] });
    if (isNew && previous && hasOffice(storedFacts(previous))) throw invalid('duty', 'duty_office');
    return;
  }
  if (role === 'User' || (!isNew && role === previous?.role)) return;
  if (actor.duty !== '' || (settings.get('SECURITY_SEPARATE_DUTIES') && !breaksGlass(actor)))
    throw invalid('duty', 'duty_required');
}
