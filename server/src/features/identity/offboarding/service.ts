import {
  assetPermission,
  DEFAULT_ORGANIZATION_NAME,
  ERRORS,
  type ErrorCode,
  type OffboardingFacts,
  type OffboardingPlan,
  type OffboardingResult,
  type OffboardingWay,
  say,
  user,
} from '@sallyport/contract';
import type { Context } from '../../../http/context.ts';
import { type Tx, transact } from '../../../platform/db/database.ts';
import { Forbidden } from '../../../platform/errors.ts';
import { engineOf } from '../../../resources/engines.ts';
import type { AuditWriter } from '../../../resources/hooks.ts';
import { removeFromRules } from '../../perms/index.ts';
import { accountEntry } from '../accounts/managed-account.ts';
import { endAllAccess } from '../sign-in-sessions/store.ts';
import { storeShutBy } from '../source-state/apply.ts';
import { deleteAllSshKeys } from '../ssh-keys/store.ts';
import {
  findLeaver,
  formatAccounts,
  type Leaver,
  MOST_NAMED,
  namesOf,
  type OffboardingOptions,
  readAccess,
} from './facts.ts';
import { leaveGroups, type Named, type NamedPermission } from './store.ts';

/** Parts of the access to end. `remove` deletes the account and ends everything. */
export interface OffboardingWish {
  readonly way: OffboardingWay;
  readonly reason: string;
  readonly publicKey: boolean;
  readonly groups: boolean;
  readonly permissions: boolean;
}

/** Returns what offboarding would change. */
export async function planOffboarding(
  options: OffboardingOptions,
  id: string,
  context: Context,
): Promise<OffboardingPlan> {
  const leaver = await findLeaver(options, id, context);
  const { account, refusals, may } = leaver;
  const { facts, accounts } = await readAccess(leaver, context, options.db);
  const inWords = (code: ErrorCode | undefined) =>
    code ? say(ERRORS[code], context.language) : null;
  return {
    user: `${account.name}(${account.username})`,
    facts,
    accounts: formatAccounts(accounts, context),
    refusals: { disable: inWords(refusals.disable), remove: inWords(refusals.remove) },
    may_remove_key: may('public_key'),
  };
}

/** Ends the selected access, all or nothing, and returns what was ended. */
export async function offboard(
  options: OffboardingOptions,
  id: string,
  wish: OffboardingWish,
  context: Context,
): Promise<OffboardingResult> {
  const leaver = await findLeaver(options, id, context);
  const { account } = leaver;
  const refused = leaver.refusals[wish.way];
  if (refused) throw new Forbidden(refused);
  return transact(options.db, async (tx) => {
    await options.lockGrants(assetPermission, tx);
    const access = await readAccess(leaver, context, tx);
    const removes = wish.way === 'remove';
    const left: Left = {
      groups: removes || wish.groups ? access.groups : [],
      permissions: removes || wish.permissions ? access.permissions : [],
    };
    const done = endedBy(wish, leaver, { facts: access.facts, left, context });
    if (removes) await engineOf(options.engines, user).writer.remove([account.id], context, { tx });
    else await disable(options, leaver, { removesKey: done.public_key, context, tx });
    // After the account: change control lets only deleted and disabled users leave permissions.
    await leave(account.id, left, tx);
    // Write log entries last: writers of the log serialize until they commit.
    await note(options.audit, account.id, left, { context, tx });
    await options.audit(
      tx,
      context,
      accountEntry(account, {
        ...changesOf(done, left),
        offboarding: [null, wish.way],
        reason: [null, wish.reason],
      }),
    );
    return { way: wish.way, done, accounts: formatAccounts(access.accounts, context) };
  });
}

interface Left {
  readonly groups: readonly Named[];
  readonly permissions: readonly NamedPermission[];
}

/** Returns the access that a wish ends. */
function endedBy(
  { way, publicKey }: OffboardingWish,
  { may }: Leaver,
  { facts, left, context }: { facts: OffboardingFacts; left: Left; context: Context },
): OffboardingFacts {
  const removes = way === 'remove';
  // Within an organization, the account continues elsewhere with its sign-ins and keys.
  const endsAccess = !removes || context.actor.organization.id === '';
  const removesKey = removes || (publicKey && may('public_key'));
  return {
    sign_ins: endsAccess ? facts.sign_ins : 0,
    access_keys: endsAccess ? facts.access_keys : 0,
    public_key: facts.public_key && endsAccess && removesKey,
    sessions: facts.sessions,
    groups: namesOf(left.groups),
    permissions: namesOf(left.permissions),
  };
}

async function leave(userId: string, { groups, permissions }: Left, tx: Tx): Promise<void> {
  const ids = groups.map(({ id }) => id);
  if (ids.length > 0) await leaveGroups(userId, ids, tx);
  for (const organization of new Set(permissions.map(({ org_id: org }) => org)))
    await removeFromRules(userId, organization, tx);
}

/** Disables an account and ends its sign-ins and access keys. */
async function disable(
  { engines }: OffboardingOptions,
  { account: { id }, isActive }: Leaver,
  { removesKey, context, tx }: { removesKey: boolean; context: Context; tx: Tx },
): Promise<void> {
  if (isActive)
    await engineOf(engines, user).writer.change(id, { is_active: false }, context, {
      tx,
    });
  // The source does not enable the account again when it lists the user.
  await storeShutBy(id, { isBySource: false, isActive: false }, tx);
  await endAllAccess(tx, id);
  if (removesKey) await deleteAllSshKeys(id, tx);
}

/** Logs the change in each group and permission. */
async function note(
  audit: AuditWriter,
  userId: string,
  { groups, permissions }: Left,
  { context, tx }: { context: Context; tx: Tx },
): Promise<void> {
  const here = context.actor.organization;
  for (const { id, name, org_id: org, resource: resourceType } of [
    ...groups.map((group) => ({ ...group, resource: 'user_group' })),
    ...permissions,
  ]) {
    const organization =
      org === here.id ? here : { id: org, name: org === '' ? DEFAULT_ORGANIZATION_NAME : org };
    const entry = {
      action: 'update' as const,
      resourceType,
      resource: name,
      resourceId: id,
      changes: { users: [[userId], []] as const },
    };
    await audit(tx, { ...context, actor: { ...context.actor, organization } }, entry);
  }
}

/** Returns the changes for the operate log. */
function changesOf(
  { sign_ins: signIns, access_keys: keys, public_key: key, sessions }: OffboardingFacts,
  { groups, permissions }: Left,
) {
  const names = (objects: readonly Named[]) => objects.slice(0, MOST_NAMED).map(({ name }) => name);
  return {
    ...(signIns && { sign_ins: [signIns, 0] as const }),
    ...(keys && { access_keys: [keys, 0] as const }),
    ...(key && { public_key: ['******', null] as const }),
    ...(sessions.count > 0 && { sessions: [sessions.names, []] as const }),
    ...(groups.length > 0 && { left_groups: [names(groups), []] as const }),
    ...(permissions.length > 0 && { left_permissions: [names(permissions), []] as const }),
  };
}
