import type { DutyOrNone, ErrorCode, ExternalSource, OrganizationRole } from '@sallyport/contract';
import { FIRST_ADMINISTRATOR } from '../../platform/actor.ts';
import { type Controlled, type Operating, refusalByControl } from './colleagues.ts';
import { type NewAccount, newRefusedByDuty, refusalByDuty } from './duties.ts';

/**
 * Rules for changes of accounts, as pure functions. Every path that writes an account calls them:
 * requests, batches, CSV files, password and factor resets, sign-ins, access keys, invitations,
 * external directories. policy.test.ts has the table of all decisions, docs/security-model.md the
 * reasons.
 */

/** Data about the acting user. */
export interface PolicyActor extends Operating {
  readonly id: string;
  /** True for an administrator of the installation. */
  readonly isSuper: boolean;
  readonly duty: DutyOrNone;
  /**
   * True if the actor may administer the current organization; administrators of the installation
   * may everywhere.
   */
  readonly administers: boolean;
  /** The current organization; empty for the default one. */
  readonly organizationId: string;
  /** Set for a directory or provider that writes its data about people. */
  readonly source?: ExternalSource | undefined;
  /**
   * True if the source also creates, disables and removes its accounts: an identity provider that
   * uses SCIM.
   */
  readonly provisions?: boolean;
}

/** Data about the account to change. */
export interface PolicyTarget extends Controlled {
  readonly id: string;
  readonly username: string;
  readonly role: 'Admin' | 'User' | 'Auditor';
  readonly source: string;
  /** Organization that created the account; null for the default organization. */
  readonly home: string | null;
  readonly members: readonly { readonly organization: string; readonly role: OrganizationRole }[];
  /** True for the first administrator while `hasHolder` finds others for its duties. */
  readonly isSealable?: boolean;
}

/**
 * Kinds of changes of an account. `describe`: phone, WeChat, comment. `factors`, `sign_ins`,
 * `access_keys`: listing and ending them.
 */
export const ACCOUNT_CHANGES = [
  'describe',
  'groups',
  'name',
  'username',
  'email',
  'role',
  'source',
  'password',
  'public_key',
  'mfa_level',
  'is_active',
  'date_expired',
  'factors',
  'unblock',
  'sign_ins',
  'access_keys',
  'remove',
] as const;
export type AccountChange = (typeof ACCOUNT_CHANGES)[number];

/** Changes that the profile page offers after a confirmation by password or second factor. */
const ON_PROFILE: ReadonlySet<AccountChange> = new Set([
  'name',
  'email',
  'password',
  'public_key',
  'mfa_level',
  'factors',
]);
/**
 * Changes of the own account that require a password or second factor: an unlocked screen must
 * not give lasting access.
 */
const CONFIRMED: ReadonlySet<string> = new Set<AccountChange>([
  'name',
  'email',
  'date_expired',
  'public_key',
  'factors',
]);
/**
 * Parts of an identity. They count in every organization of the account, so no single organization
 * may change them.
 */
const IDENTITY: ReadonlySet<AccountChange> = new Set([
  'name',
  'username',
  'email',
  'password',
  'public_key',
  'mfa_level',
  'is_active',
  'date_expired',
  'factors',
  'sign_ins',
  'access_keys',
]);
/** Data that a directory or provider owns, or that would be a second way into its accounts. */
const EXTERNAL: ReadonlySet<string> = new Set(['username', 'email', 'password', 'public_key']);
/** Data that a directory or provider writes about its accounts. */
const WRITTEN_BY_SOURCE: ReadonlySet<AccountChange> = new Set(['name', 'email', 'describe']);
/** Properties that keep the first administrator usable. */
export const FIRST_KEEPS: ReadonlySet<string> = new Set<AccountChange>([
  'username',
  'role',
  'source',
  'is_active',
  'date_expired',
  'remove',
]);

/**
 * Changes that a provisioning identity provider may make: who may sign in, never what they may do.
 */
const PROVISIONED: ReadonlySet<AccountChange> = new Set(['username', 'is_active', 'remove']);
/** Data that a directory also writes: new usernames, and the activity of accounts. */
const SAID_BY_DIRECTORY: ReadonlySet<AccountChange> = new Set(['username', 'is_active']);

/**
 * Returns true if a source may make a change to its account. Accounts with a role given here are
 * only disabled, never removed.
 */
function maySourceChange(
  { provisions, source }: PolicyActor,
  { role }: PolicyTarget,
  change: AccountChange,
): boolean {
  if (WRITTEN_BY_SOURCE.has(change)) return true;
  if (source === 'ldap' && SAID_BY_DIRECTORY.has(change)) return true;
  return provisions === true && PROVISIONED.has(change) && (role === 'User' || change !== 'remove');
}

/** Returns true if users must confirm this change of their account. */
export const needsConfirmation = (change: string): boolean => CONFIRMED.has(change);

/** Returns why an actor may not make a change to an account; undefined if it is allowed. */
export function refusalOf(
  actor: PolicyActor,
  target: PolicyTarget,
  change: AccountChange,
): ErrorCode | undefined {
  if (!actor.administers) return 'object_protected';
  if (actor.source)
    return maySourceWrite(actor.source, target) && maySourceChange(actor, target, change)
      ? undefined
      : 'object_protected';
  if (actor.id === target.id) return refusalOfOwn(actor, target, change);
  const controlled = refusalByControl(actor, target, change);
  if (controlled) return controlled;
  if (actor.isSuper)
    return refusalByDuty(actor.duty, target, change) ?? refusalOfFirst(target, change);
  return refusalOfOrganization(actor, target, change);
}

/** Returns why a change of the first administrator is rejected. Undefined for other accounts. */
function refusalOfFirst(
  { username, isSealable }: PolicyTarget,
  change: AccountChange,
): ErrorCode | undefined {
  if (username !== FIRST_ADMINISTRATOR || !FIRST_KEEPS.has(change)) return undefined;
  if (change !== 'is_active') return 'first_administrator';
  return isSealable ? undefined : 'seal_needs_holders';
}

/** One's own account: an unlocked screen or a lost key must not lose the account. */
function refusalOfOwn(
  actor: PolicyActor,
  target: PolicyTarget,
  change: AccountChange,
): ErrorCode | undefined {
  if (change === 'remove') return 'self_delete';
  const kept = refusalOfFirst(target, change);
  if (kept) return kept;
  if (ON_PROFILE.has(change)) return 'own_account';
  if (change === 'role' || change === 'is_active') return 'object_protected';
  if (change === 'source' || change === 'username') return 'own_identity';
  if (change === 'date_expired') return actor.isSuper ? 'own_account' : 'own_identity';
  return undefined;
}

/**
 * Administrators of an organization may change ordinary accounts created in it; identities only of
 * accounts without other memberships.
 */
function refusalOfOrganization(
  { organizationId }: PolicyActor,
  target: PolicyTarget,
  change: AccountChange,
): ErrorCode | undefined {
  if (target.role !== 'User') return 'colleague_account';
  const hasOfficeHere = target.members.some(
    ({ organization, role }) => organization === organizationId && role !== 'User',
  );
  // Separation of duties: only administrators of the installation manage colleagues and auditors.
  if (hasOfficeHere) return 'colleague_account';
  if (change === 'remove') return undefined;
  if (target.home !== organizationId) return 'guest_account';
  if (target.members.some(({ role }) => role !== 'User')) return 'shared_account';
  if (change === 'role') return 'role_protected';
  if (change === 'source') return 'source_protected';
  if (
    IDENTITY.has(change) &&
    target.members.some(({ organization }) => organization !== organizationId)
  )
    return 'shared_account';
  if (EXTERNAL.has(change) && target.source !== 'local') return 'external_account';
  return undefined;
}

/** Returns the changes that an actor may make to an account; the console offers them. */
export function abilitiesOf(actor: PolicyActor, target: PolicyTarget): AccountChange[] {
  return ACCOUNT_CHANGES.filter((change) => refusalOf(actor, target, change) === undefined);
}

/** Returns the rejected changes with their reasons; empty for users who manage no accounts. */
export function refusalsOf(
  actor: PolicyActor,
  target: PolicyTarget,
): Partial<Record<AccountChange, ErrorCode>> {
  if (!actor.administers) return {};
  return Object.fromEntries(
    ACCOUNT_CHANGES.flatMap((change) =>
      [refusalOf(actor, target, change)].flatMap((code) => (code ? [[change, code]] : [])),
    ),
  );
}

/**
 * Returns the rejected fields of a new account. Only administrators of the installation grant its
 * roles and external sources.
 */
export function refusalsOfNew(
  actor: PolicyActor,
  account: NewAccount,
): Readonly<Record<string, ErrorCode>> {
  if (actor.source)
    return {
      ...(account.role !== 'User' && { role: 'role_protected' as const }),
      ...(!maySourceWrite(actor.source, account) && { source: 'source_protected' as const }),
    };
  if (actor.isSuper) return newRefusedByDuty(actor.duty, account);
  return {
    ...(account.role !== 'User' && { role: 'role_protected' as const }),
    // Otherwise the creator of an account for a directory user could use it after the user's first
    // sign-in.
    ...(account.source !== 'local' && { source: 'source_protected' as const }),
  };
}

/**
 * Returns the fields of the own profile that the user may change: name and address for
 * administrators, expiry for those of the installation.
 */
export function ownChanges(
  actor: PolicyActor,
  target: Pick<PolicyTarget, 'source' | 'username'>,
): readonly ('name' | 'email' | 'date_expired')[] {
  if (!actor.administers) return [];
  // A directory would overwrite name and address at the next sign-in.
  const identity = target.source === 'local' ? (['name', 'email'] as const) : [];
  return actor.isSuper && target.username !== FIRST_ADMINISTRATOR
    ? [...identity, 'date_expired']
    : identity;
}

/**
 * Returns how a user joins an organization: administrators of the installation add users, others
 * invite them.
 * @returns the problem of the role, if any
 */
export function invitationOf(
  actor: PolicyActor,
  role: OrganizationRole,
): { readonly needsConsent: boolean; readonly refusal?: ErrorCode } {
  if (actor.isSuper) return { needsConsent: false };
  return role === 'User'
    ? { needsConsent: true }
    : { needsConsent: true, refusal: 'role_protected' };
}

/** Returns true if a directory or provider may write an account: it writes its own only. */
export function maySourceWrite(
  source: ExternalSource,
  account: { readonly source: string },
): boolean {
  return account.source === source;
}
