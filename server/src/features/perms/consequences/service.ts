import {
  type AccessChange,
  adminUser,
  asset,
  assetPermission,
  type Consequence,
  type Consequences,
  cluster,
  clusterPermission,
  commandFilter,
  concernsMany,
  databaseApp,
  databaseAppPermission,
  domain,
  formatDatetime,
  gateway,
  label,
  MANY_CONCERNED,
  node,
  organization,
  Permission,
  type PlannedAction,
  platform,
  type Resource,
  remoteApp,
  remoteAppPermission,
  session,
  systemUser,
  takesAway,
  user,
  userGroup,
} from '@sallyport/contract';
import { assertAccess } from '../../../http/route.ts';
import type { Caller } from '../../../platform/actor.ts';
import type { Db } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { Forbidden, invalid, notFound } from '../../../platform/errors.ts';
import { type Engines, engineOf } from '../../../resources/engines.ts';
import { scopeOf } from '../../../resources/read/scope.ts';
import { ASSETS, CLUSTERS, DATABASE_APPS, REMOTE_APPS } from '../grants/kind.ts';
import type { PlannedTerms } from '../what-if/plan.ts';
import { createWhatIf } from '../what-if/service.ts';
import {
  groupConsequences,
  permissionConsequences,
  userConsequences,
} from './access-consequences.ts';
import {
  clusterConsequences,
  databaseAppConsequences,
  remoteAppConsequences,
} from './app-consequences.ts';
import { createPlannedChange, type PlannedChange } from './change.ts';
import {
  adminUserConsequences,
  assetConsequences,
  commandFilterConsequences,
  domainConsequences,
  gatewayConsequences,
  labelConsequences,
  nodeConsequences,
  platformConsequences,
  systemUserConsequences,
} from './place-consequences.ts';
import { planOf } from './plans.ts';
import { openAmong } from './sessions.ts';
import { countAndName, type Selection, visibleIds } from './store.ts';

/** A planned action and its objects. */
export interface Planned {
  readonly action: PlannedAction;
  readonly resource: string;
  readonly selection: Selection;
  readonly target: string;
  readonly users: readonly string[];
  /** The form of a permission that is about to be saved. */
  readonly terms?: PlannedTerms;
}

interface SupportedActions {
  readonly resource: Resource;
  readonly actions: readonly PlannedAction[];
  readonly find: (change: PlannedChange) => Promise<Consequence[]>;
}

/** Targets of permissions; assets unless listed here. */
const ABOUT: Readonly<Record<string, Resource>> = {
  remote_app_permission: remoteApp,
  database_app_permission: databaseApp,
  cluster_permission: cluster,
};

const SWITCHED = ['delete', 'disable', 'enable'] as const;
const members = async (change: PlannedChange) => [
  await change.rows(
    'members',
    sql`organization_member m where m.organization_id = any (${change.ids}::uuid[])`,
  ),
];
const concerned = async (change: PlannedChange) => [
  await change.objects(
    'people_concerned',
    user,
    sql`select u.id from account u
      where u.id::text in (select s.user_id from session s
        where s.id in (${openAmong(change.ids)}))`,
  ),
];

/**
 * Supported actions by resource. Users are handled separately: the policy decides what the caller
 * may know of accounts.
 */
const SUPPORTED: readonly SupportedActions[] = [
  {
    resource: userGroup,
    actions: ['delete', 'add_members', 'remove_members', 'save'],
    find: groupConsequences,
  },
  {
    resource: assetPermission,
    actions: [...SWITCHED, 'save'],
    find: permissionConsequences(ASSETS),
  },
  {
    resource: remoteAppPermission,
    actions: [...SWITCHED, 'save'],
    find: permissionConsequences(REMOTE_APPS),
  },
  {
    resource: databaseAppPermission,
    actions: [...SWITCHED, 'save'],
    find: permissionConsequences(DATABASE_APPS),
  },
  {
    resource: clusterPermission,
    actions: [...SWITCHED, 'save'],
    find: permissionConsequences(CLUSTERS),
  },
  { resource: cluster, actions: ['delete'], find: clusterConsequences },
  { resource: remoteApp, actions: ['delete'], find: remoteAppConsequences },
  { resource: databaseApp, actions: ['delete'], find: databaseAppConsequences },
  { resource: asset, actions: [...SWITCHED, 'move', 'add'], find: assetConsequences },
  { resource: node, actions: ['delete', 'move'], find: nodeConsequences },
  { resource: systemUser, actions: ['delete'], find: systemUserConsequences },
  { resource: adminUser, actions: ['delete'], find: adminUserConsequences },
  { resource: domain, actions: ['delete'], find: domainConsequences },
  { resource: gateway, actions: SWITCHED, find: gatewayConsequences },
  { resource: label, actions: ['delete'], find: labelConsequences },
  { resource: commandFilter, actions: SWITCHED, find: commandFilterConsequences },
  { resource: platform, actions: ['delete'], find: platformConsequences },
  { resource: organization, actions: ['delete'], find: members },
  { resource: session, actions: ['terminate'], find: concerned },
  { resource: user, actions: SWITCHED, find: async () => [] },
];

/**
 * Returns a function that computes the consequences of an action. It checks that the caller may
 * take the action, and counts objects that the caller may see.
 */
export function createConsequences(
  db: Db,
  engines: Engines,
): (planned: Planned, caller: Caller) => Promise<Consequences> {
  /**
   * Returns what the policy lets the caller know of the accounts.
   * @throws Forbidden if the policy refuses the action
   */
  const seenOfUsers = async ({ action, ids, caller }: PlannedChange) => {
    const rows = await engineOf(engines, user).reader.rows(ids, caller, db);
    const refusalsOf = (row: (typeof rows)[number]) =>
      row.refusals as Readonly<Record<string, string>>;
    const refused = rows.some((row) =>
      action === 'delete' ? row.can_delete !== true : refusalsOf(row).is_active !== undefined,
    );
    if (refused) throw new Forbidden('object_protected');
    const sees = (change: string) => rows.every((row) => refusalsOf(row)[change] === undefined);
    return { signIns: sees('sign_ins'), keys: sees('access_keys') };
  };

  const whatIf = createWhatIf(db, engines);
  const visible = (resource: Resource, ids: readonly string[], caller: Caller) =>
    visibleIds(engineOf(engines, resource), { ids, spm: '' }, caller, db);
  const visibleTerms = async (
    terms: PlannedTerms,
    about: Resource,
    caller: Caller,
  ): Promise<PlannedTerms> => ({
    ...terms,
    user_groups: await visible(userGroup, terms.user_groups, caller),
    assets: await visible(about, terms.assets, caller),
    nodes: await visible(node, terms.nodes, caller),
    system_users: await visible(systemUser, terms.system_users, caller),
  });

  return async ({ action, resource: name, selection, target, users, terms }, caller) => {
    const supported = SUPPORTED.find(({ resource }) => resource.name === name);
    if (!supported?.actions.includes(action))
      throw invalid('action', 'not_choice', { value: action });
    const { resource } = supported;
    const isNew = action === 'save' && selection.ids.length === 0;
    assertAccess(
      accessFor(action, isNew, resource) ?? Permission.SUPER,
      caller.actor,
      caller.language,
    );
    const engine = engineOf(engines, resource);
    const ids = await visibleIds(engine, selection, caller, db);
    if (ids.length === 0 && !isNew) throw notFound();
    if (action === 'move' || action === 'add')
      await engineOf(engines, node).reader.retrieve(target, caller, db);
    const planned = {
      ...{
        action,
        ids,
        caller,
        db,
        target,
        users: await visible(user, users, caller),
        plan: undefined,
      },
      terms: terms && (await visibleTerms(terms, ABOUT[name] ?? asset, caller)),
    };
    const plan = await planOf(name, createPlannedChange(planned, engines));
    const change = createPlannedChange({ ...planned, plan }, engines);
    // Checks the policy before any consequence is computed.
    const sees = resource === user ? await seenOfUsers(change) : undefined;
    const [found, access, objects] = await Promise.all([
      sees ? userConsequences(change, sees) : supported.find(change),
      plan ? whatIf(plan, caller) : [],
      countAndName(engine, sql`select unnest(${ids}::uuid[])`, scopeOf(engine, caller), db),
    ]);
    const consequences = found.filter(({ count }) => count > 0);
    const from = plan?.at && access.length > 0 ? formatDatetime(plan.at, caller.zone) : null;
    return {
      objects,
      consequences,
      access,
      access_from: from,
      type_to_confirm: confirmationText(action, objects, consequences, access),
    };
  };
}

/** Permission bits that an action requires; undefined for actions of super administrators only. */
function accessFor(
  action: PlannedAction,
  isNew: boolean,
  { access }: Resource,
): number | undefined {
  if (action === 'terminate') return Permission.ADMIN;
  if (action === 'delete') return access.delete;
  return isNew ? access.create : access.update;
}

/**
 * Text that the user must type to confirm, or null. Required for actions that take access from many
 * users or assets.
 */
function confirmationText(
  action: PlannedAction,
  objects: Consequences['objects'],
  consequences: readonly Consequence[],
  access: readonly AccessChange[],
): string | null {
  if (action === 'enable' || action === 'add' || action === 'add_members') return null;
  const isMany =
    objects.count > MANY_CONCERNED ||
    consequences.some(
      ({ kind, count, blocks }) =>
        !blocks && /^(people|assets)_/.test(kind) && count > MANY_CONCERNED,
    ) ||
    access.some((change) => takesAway(change) && concernsMany(change));
  if (!isMany) return null;
  return objects.count === 1 ? (objects.names[0] ?? '1') : String(objects.count);
}
