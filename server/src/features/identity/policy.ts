import type { ErrorCode, OrganizationRole } from '@sallyport/contract';
import type { ExternalSource } from '../../platform/actor.ts';

/**
 * Who may change what about whose account. Pure functions over facts: every path that writes an account asks here — single requests, batches,
 * CSV files, password and factor resets, sign-ins, access keys, invitations, and the writers of external directories.
 * The table of all answers is in policy.test.ts; the reasons are in docs/security-model.md.
 */

/** The account that the first start creates; it stays a usable administrator, so that not all administrators can be locked out. */
export const FIRST_ADMINISTRATOR = 'admin';

/** The facts about the person who acts. */
export interface PolicyActor {
  readonly id: string;
  /** An administrator of the installation. */
  readonly isSuper: boolean;
  /** May administer the current organization; installation administrators may everywhere. */
  readonly administers: boolean;
  /** The current organization; empty for the default one. */
  readonly organizationId: string;
  /** A directory or provider that writes what it says about people. */
  readonly source?: ExternalSource | undefined;
  /** The source also makes, disables and removes its accounts: an identity provider that keeps them here by SCIM. */
  readonly provisions?: boolean;
}

/** The facts about the account that is to be changed. */
export interface PolicyTarget {
  readonly id: string;
  readonly username: string;
  readonly role: 'Admin' | 'User' | 'Auditor';
  readonly source: string;
  /** Where the account was made; null for the default organization. */
  readonly home: string | null;
  readonly members: readonly { readonly organization: string; readonly role: OrganizationRole }[];
}

/** What can be done about an account. `describe`: phone, WeChat, comment. `factors`, `sign_ins`, `access_keys`: seeing them and ending them. */
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

/** Changes that the own profile page offers, after the password or a second factor was asked for. */
const ON_PROFILE: ReadonlySet<AccountChange> = new Set([
  'name',
  'email',
  'password',
  'public_key',
  'mfa_level',
  'factors',
]);
/** What the owner of an account changes only after the password or a second factor: an open screen must not become a lasting way in. */
const CONFIRMED: ReadonlySet<string> = new Set<AccountChange>([
  'name',
  'email',
  'date_expired',
  'public_key',
  'factors',
]);
/** What makes up an identity: it counts in every organization of the account, so one of them alone does not change it. */
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
/** What a directory or a provider says, or would be a second way into an account of theirs. */
const EXTERNAL: ReadonlySet<AccountChange> = new Set([
  'username',
  'email',
  'password',
  'public_key',
]);
/** What a directory or provider says about its accounts; everything else is decided here. */
const SAID_BY_SOURCE: ReadonlySet<AccountChange> = new Set(['name', 'email', 'describe']);
/** What the first administrator needs to stay usable. */
const FIRST_KEEPS: ReadonlySet<AccountChange> = new Set([
  'username',
  'role',
  'source',
  'is_active',
  'date_expired',
  'remove',
]);

/** What an identity provider decides that keeps its accounts here: who they are and whether they may come in, never what they may do. */
const PROVISIONED: ReadonlySet<AccountChange> = new Set(['username', 'is_active', 'remove']);

/** Whether a source may make a change to its account. Those who were made administrators or auditors here are only disabled, never removed. */
function maySay(
  { provisions }: PolicyActor,
  { role }: PolicyTarget,
  change: AccountChange,
): boolean {
  if (SAID_BY_SOURCE.has(change)) return true;
  return provisions === true && PROVISIONED.has(change) && (role === 'User' || change !== 'remove');
}

/** Whether the owner of an account proves their identity again before this change. */
export const needsConfirmation = (change: string): boolean => CONFIRMED.has(change);

/** Why an actor may not make a change to an account; undefined when it is allowed. */
export function refusalOf(
  actor: PolicyActor,
  target: PolicyTarget,
  change: AccountChange,
): ErrorCode | undefined {
  if (!actor.administers) return 'object_protected';
  if (actor.source)
    return maySourceWrite(actor.source, target) && maySay(actor, target, change)
      ? undefined
      : 'object_protected';
  if (actor.id === target.id) return refusalOfOwn(actor, target, change);
  if (actor.isSuper) return isKeptByFirst(target, change) ? 'first_administrator' : undefined;
  return refusalOfOrganization(actor, target, change);
}

/** What nobody changes of the first administrator. */
const isKeptByFirst = ({ username }: Pick<PolicyTarget, 'username'>, change: AccountChange) =>
  username === FIRST_ADMINISTRATOR && FIRST_KEEPS.has(change);

/** The own account: an open screen or a lost key must not be a lost account. */
function refusalOfOwn(
  actor: PolicyActor,
  target: PolicyTarget,
  change: AccountChange,
): ErrorCode | undefined {
  if (change === 'remove') return 'self_delete';
  if (isKeptByFirst(target, change)) return 'first_administrator';
  if (ON_PROFILE.has(change)) return 'own_account';
  if (change === 'role' || change === 'is_active') return 'object_protected';
  if (change === 'source' || change === 'username') return 'own_identity';
  if (change === 'date_expired') return actor.isSuper ? 'own_account' : 'own_identity';
  return undefined;
}

/** Administrators of one organization: ordinary accounts that were made in it, and belong to it alone where identity is concerned. */
function refusalOfOrganization(
  { organizationId }: PolicyActor,
  target: PolicyTarget,
  change: AccountChange,
): ErrorCode | undefined {
  if (target.role !== 'User') return 'colleague_account';
  const officeHere = target.members.some(
    ({ organization, role }) => organization === organizationId && role !== 'User',
  );
  // Separation of duties: colleagues and auditors are the business of the installation's administrators.
  if (officeHere) return 'colleague_account';
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

/** The changes that an actor may make to an account; the console offers these. */
export function abilitiesOf(actor: PolicyActor, target: PolicyTarget): AccountChange[] {
  return ACCOUNT_CHANGES.filter((change) => refusalOf(actor, target, change) === undefined);
}

/** The changes that an actor may not make to an account, each with its reason; nothing for people who manage no accounts. */
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

/** What a new account may not be, by field: roles of the installation and external sources are given by its administrators. */
export function refusalsOfNew(
  actor: PolicyActor,
  account: { readonly role: string; readonly source: string },
): Readonly<Record<string, ErrorCode>> {
  if (actor.source)
    return {
      ...(account.role !== 'User' && { role: 'role_protected' as const }),
      ...(!maySourceWrite(actor.source, account) && { source: 'source_protected' as const }),
    };
  if (actor.isSuper) return {};
  return {
    ...(account.role !== 'User' && { role: 'role_protected' as const }),
    // Otherwise an account prepared for a directory user could be used by its creator after the user's first sign-in.
    ...(account.source !== 'local' && { source: 'source_protected' as const }),
  };
}

/** What the own profile may change beyond the description: administrators their name and address, those of the installation their expiry. */
export function ownChanges(
  actor: PolicyActor,
  target: Pick<PolicyTarget, 'source' | 'username'>,
): readonly ('name' | 'email' | 'date_expired')[] {
  if (!actor.administers) return [];
  // A directory would write its own name and address over them at the next sign-in.
  const identity = target.source === 'local' ? (['name', 'email'] as const) : [];
  return actor.isSuper && target.username !== FIRST_ADMINISTRATOR
    ? [...identity, 'date_expired']
    : identity;
}

/** How a user joins an organization: installation administrators add users, others invite them. @returns the problem of the role, if any */
export function invitationOf(
  actor: PolicyActor,
  role: OrganizationRole,
): { readonly needsConsent: boolean; readonly refusal?: ErrorCode } {
  if (actor.isSuper) return { needsConsent: false };
  return role === 'User'
    ? { needsConsent: true }
    : { needsConsent: true, refusal: 'role_protected' };
}

/** Whether a directory or provider may write an account: its own only, never one that was made here or that another source answers for. */
export function maySourceWrite(
  source: ExternalSource,
  account: { readonly source: string },
): boolean {
  return account.source === source;
}
