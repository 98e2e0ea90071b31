import {
  type CountedNames,
  type ErrorCode,
  formatDatetime,
  type OffboardingFacts,
  type SharedAccount,
  user,
} from '@sallyport/contract';
import type { Context } from '../../../http/context.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { Forbidden } from '../../../platform/errors.ts';
import { type Engines, engineOf } from '../../../resources/engines.ts';
import type { AuditWriter, ResourceServices } from '../../../resources/hooks.ts';
import { factsOf, policyActor } from '../accounts/account-facts.ts';
import type { NamedAccount } from '../accounts/managed-account.ts';
import { refusalOf } from '../policy.ts';
import {
  accessOf,
  groupsOf,
  type Named,
  openSessionsOf,
  permissionsOf,
  type StoredSharedAccount,
  sharedAccountsOf,
  type Within,
} from './store.ts';

/** Maximum names of each kind in a response. */
export const MOST_NAMED = 50;

export interface OffboardingOptions {
  readonly db: Db;
  readonly engines: Engines;
  readonly audit: AuditWriter;
  readonly lockGrants: ResourceServices['lockGrants'];
}

type Change = Parameters<typeof refusalOf>[2];

/** An account to offboard, and the policy's decisions. */
export interface Leaver {
  readonly account: NamedAccount;
  readonly isActive: boolean;
  /** Codes of the rules that forbid a way. Undefined if it is allowed. */
  readonly refusals: { readonly [Way in 'disable' | 'remove']: ErrorCode | undefined };
  readonly may: (change: Change) => boolean;
}

const counted = (names: readonly string[]): CountedNames => ({
  count: names.length,
  names: names.slice(0, MOST_NAMED),
});

export const namesOf = (objects: readonly Named[]) => counted(objects.map(({ name }) => name));

/** Administrators of the installation act in all organizations, others in their own. */
const withinOf = ({ actor }: Context): Within =>
  actor.role === 'Admin' && actor.organization.id === '' ? undefined : actor.organization.id;

/**
 * Returns the account and the policy's decisions.
 * @throws NotFound; Forbidden if neither way is allowed
 */
export async function findLeaver(
  { db, engines }: OffboardingOptions,
  id: string,
  context: Context,
): Promise<Leaver> {
  const row = await engineOf(engines, user).reader.retrieve(id, context);
  const account: NamedAccount = {
    id: String(row.id),
    username: String(row.username),
    name: String(row.name),
  };
  const facts = await factsOf(account.id, db);
  const refusal = (change: Change): ErrorCode | undefined =>
    facts ? refusalOf(policyActor(context), facts, change) : 'object_protected';
  const refusals = { disable: refusal('is_active'), remove: refusal('remove') };
  if (refusals.disable && refusals.remove) throw new Forbidden(refusals.remove);
  return {
    account,
    isActive: row.is_active === true,
    refusals,
    may: (change) => refusal(change) === undefined,
  };
}

/** Returns the access of an account. */
export async function readAccess({ account: { id }, may }: Leaver, context: Context, on: Db | Tx) {
  const within = withinOf(context);
  const access = await accessOf(id, on);
  const groups = await groupsOf(id, within, on);
  const permissions = await permissionsOf(id, within, on);
  const facts: OffboardingFacts = {
    sign_ins: may('sign_ins') ? access.sign_ins : null,
    access_keys: may('access_keys') ? access.access_keys : null,
    // Organizations must not learn how the account of a guest is protected.
    public_key: may('public_key') && access.public_key,
    sessions: counted(await openSessionsOf(id, within, on)),
    groups: namesOf(groups),
    permissions: namesOf(permissions),
  };
  return {
    facts,
    groups,
    permissions,
    accounts: await sharedAccountsOf(id, within, context.actor.organization.id, on),
  };
}

export const formatAccounts = (
  accounts: readonly StoredSharedAccount[],
  { zone }: Context,
): SharedAccount[] =>
  accounts.map(({ id, name, username, protocol, organization, date_last: last }) => ({
    id,
    name,
    username,
    protocol,
    organization,
    date_last: last && formatDatetime(last, zone),
  }));
