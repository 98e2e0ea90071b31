import {
  assetPermission,
  type CountedNames,
  DEFAULT_ORGANIZATION_NAME,
  ERRORS,
  type ErrorCode,
  formatDatetime,
  type OffboardingFacts,
  type OffboardingPlan,
  type OffboardingResult,
  type OffboardingWay,
  type SharedAccount,
  say,
  user,
} from '@sallyport/contract';
import type { Context } from '../../../http/context.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { transact } from '../../../platform/db/retry.ts';
import { Forbidden } from '../../../platform/errors.ts';
import { type Engines, engineOf } from '../../../resources/engines.ts';
import type { AuditWriter, ResourceServices } from '../../../resources/hooks.ts';
import { removeFromRules } from '../../perms/index.ts';
import { factsOf, policyActor } from '../accounts/account-facts.ts';
import { accountEntry, type ManagedAccount } from '../accounts/managed-account.ts';
import { setPublicKey } from '../accounts/store.ts';
import { refusalOf } from '../policy.ts';
import { endAllAccess } from '../sign-in-sessions/store.ts';
import {
  accessOf,
  groupsOf,
  leaveGroups,
  type Named,
  type NamedPermission,
  openSessionsOf,
  permissionsOf,
  type StoredSharedAccount,
  sharedAccountsOf,
  type Within,
} from './store.ts';

/** Maximum names of each kind in a response. */
const MOST_NAMED = 50;

/** Parts of the access to end. `remove` deletes the account and ends everything. */
export interface OffboardingWish {
  readonly way: OffboardingWay;
  readonly reason: string;
  readonly publicKey: boolean;
  readonly groups: boolean;
  readonly permissions: boolean;
}

export interface OffboardingOptions {
  readonly db: Db;
  readonly engines: Engines;
  readonly audit: AuditWriter;
  readonly lockGrants: ResourceServices['lockGrants'];
}

const counted = (names: readonly string[]): CountedNames => ({
  count: names.length,
  names: names.slice(0, MOST_NAMED),
});
const namesOf = (objects: readonly Named[]) => counted(objects.map(({ name }) => name));

/** Administrators of the installation act in all organizations, others in their own. */
const withinOf = ({ actor }: Context): Within =>
  actor.role === 'Admin' && actor.organization.id === '' ? undefined : actor.organization.id;

/** Plans and performs offboarding in one transaction. */
export function createOffboarding({ db, engines, audit, lockGrants }: OffboardingOptions) {
  /**
   * Returns the account and the policy's decisions.
   * @throws NotFound; Forbidden if neither way is allowed
   */
  async function read(id: string, context: Context) {
    const row = await engineOf(engines, user).reader.retrieve(id, context);
    const account: ManagedAccount = {
      id: String(row.id),
      username: String(row.username),
      name: String(row.name),
      source: String(row.source),
    };
    const facts = await factsOf(account.id, db);
    const refusal = (change: Parameters<typeof refusalOf>[2]): ErrorCode | undefined =>
      facts ? refusalOf(policyActor(context), facts, change) : 'object_protected';
    const ways = { disable: refusal('is_active'), remove: refusal('remove') };
    if (ways.disable && ways.remove) throw new Forbidden(ways.remove);
    return {
      account,
      isActive: row.is_active === true,
      ways,
      may: (change: Parameters<typeof refusalOf>[2]) => refusal(change) === undefined,
    };
  }

  async function factsNow(
    id: string,
    context: Context,
    may: (change: 'sign_ins' | 'access_keys' | 'public_key') => boolean,
    on: Db | Tx,
  ) {
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

  const formatAccounts = (
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

  return {
    /** Returns what offboarding would change. */
    async plan(id: string, context: Context): Promise<OffboardingPlan> {
      const { account, ways, may } = await read(id, context);
      const { facts, accounts } = await factsNow(account.id, context, may, db);
      const inWords = (code: ErrorCode | undefined) =>
        code ? say(ERRORS[code], context.language) : null;
      return {
        user: `${account.name}(${account.username})`,
        facts,
        accounts: formatAccounts(accounts, context),
        refusals: { disable: inWords(ways.disable), remove: inWords(ways.remove) },
        may_remove_key: may('public_key'),
      };
    },

    /** Ends the selected access, all or nothing, and returns what was ended. */
    async run(id: string, wish: OffboardingWish, context: Context): Promise<OffboardingResult> {
      const { account, isActive, ways, may } = await read(id, context);
      const refused = ways[wish.way];
      if (refused) throw new Forbidden(refused);
      const removes = wish.way === 'remove';
      return transact(db, async (tx) => {
        await lockGrants(assetPermission, tx);
        const { facts, groups, permissions, accounts } = await factsNow(
          account.id,
          context,
          may,
          tx,
        );
        const { writer } = engineOf(engines, user);
        const left = {
          groups: removes || wish.groups ? groups : [],
          permissions: removes || wish.permissions ? permissions : [],
        };
        // Within an organization, the account continues elsewhere with its sign-ins and keys.
        const endsAccess = !removes || context.actor.organization.id === '';
        const removesKey =
          facts.public_key && endsAccess && (removes || (wish.publicKey && may('public_key')));
        const done: OffboardingFacts = {
          sign_ins: endsAccess ? facts.sign_ins : 0,
          access_keys: endsAccess ? facts.access_keys : 0,
          public_key: removesKey,
          sessions: facts.sessions,
          groups: namesOf(left.groups),
          permissions: namesOf(left.permissions),
        };
        await leave(account.id, left, tx);
        if (removes) await writer.remove([account.id], context, { tx });
        else {
          if (isActive)
            await writer.update(account.id, { is_active: false }, 'change', context, { tx });
          await endAllAccess(tx, account.id);
          if (removesKey) await setPublicKey(account.id, null, tx);
        }
        // Write log entries last: writers of the log serialize until they commit.
        await note(account.id, left, context, tx);
        await audit(
          tx,
          context,
          accountEntry(account, {
            ...changesOf(done, left),
            offboarding: [null, wish.way],
            reason: [null, wish.reason],
          }),
        );
        return { way: wish.way, done, accounts: formatAccounts(accounts, context) };
      });
    },
  };

  async function leave(userId: string, { groups, permissions }: Left, tx: Tx): Promise<void> {
    const ids = groups.map(({ id }) => id);
    if (ids.length > 0) await leaveGroups(userId, ids, tx);
    for (const organization of new Set(permissions.map(({ org_id: org }) => org)))
      await removeFromRules(userId, organization, tx);
  }

  /** Logs the change in each group and permission. */
  async function note(
    userId: string,
    { groups, permissions }: Left,
    context: Context,
    tx: Tx,
  ): Promise<void> {
    for (const { id, name, org_id: org, resource: resourceType } of [
      ...groups.map((group) => ({ ...group, resource: 'user_group' })),
      ...permissions,
    ]) {
      const here = context.actor.organization;
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
}

interface Left {
  readonly groups: readonly Named[];
  readonly permissions: readonly NamedPermission[];
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
