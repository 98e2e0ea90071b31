import type { DutyOrNone, ErrorCode, OrganizationRole } from '@sallyport/contract';

/** Changes of an account that belong to the security administrator. */
const OF_SECURITY: ReadonlySet<string> = new Set([
  'describe',
  'role',
  'groups',
  'mfa_level',
  'is_active',
  'unblock',
  'sign_ins',
  'access_keys',
]);

interface Target {
  readonly role: string;
  readonly members: readonly { readonly role: OrganizationRole }[];
}

/** Returns true for a role in an organization that administers or audits it. */
export const hasOffice = ({ members }: Pick<Target, 'members'>): boolean =>
  members.some(({ role }) => role !== 'User');

/**
 * Returns why the holder of a duty may not make a change to another account. The system
 * administrator owns ordinary accounts, the security administrator decides what accounts may do.
 * Neither one can use a colleague's account: no duty sets password, key or factor of an account
 * that administers or audits.
 */
export function refusalByDuty(
  duty: DutyOrNone,
  target: Target,
  change: string,
): ErrorCode | undefined {
  if (duty === '') return undefined;
  if (duty === 'security') return OF_SECURITY.has(change) ? undefined : 'duty_security';
  if (target.role !== 'User' || hasOffice(target)) return 'duty_account';
  return change === 'role' || change === 'groups' ? 'duty_system' : undefined;
}

/** Returns why the holder of a duty may add no account, whatever the account. */
export const refusalToAdd = (duty: DutyOrNone): ErrorCode | undefined =>
  duty === '' || duty === 'system' ? undefined : 'duty_no_accounts';

/** A new account, as its creator wants it. */
export interface NewAccount {
  readonly role: string;
  readonly source: string;
  readonly duty?: string;
  readonly hasGroups?: boolean;
}

/** Returns the fields of a new account that the duty of its creator refuses. */
export function newRefusedByDuty(
  duty: DutyOrNone,
  { role, duty: wanted = '', hasGroups = false }: NewAccount,
): Readonly<Record<string, ErrorCode>> {
  if (duty === '') return {};
  const refusal = refusalToAdd(duty);
  if (refusal) return { username: refusal };
  return {
    ...(role !== 'User' && { role: 'duty_system' as const }),
    ...(wanted !== '' && { duty: 'duty_system' as const }),
    ...(hasGroups && { groups: 'duty_system' as const }),
  };
}
