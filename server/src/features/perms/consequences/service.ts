import {
  type AccessChange,
  adminUser,
  asset,
  assetPermission,
  type Consequence,
  type Consequences,
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
import { sql } from 'kysely';
import { assertAccess } from '../../../http/route.ts';
import type { Caller } from '../../../platform/actor.ts';
import type { Db } from '../../../platform/db/database.ts';
import { Forbidden, invalid, notFound } from '../../../platform/errors.ts';
import { type Engines, engineOf } from '../../../resources/engines.ts';
import { ASSETS, DATABASE_APPS, REMOTE_APPS } from '../grants/kind.ts';
import type { PlannedTerms } from '../what-if/plan.ts';
import { createWhatIf } from '../what-if/service.ts';
import { type Ask, createAsk } from './ask.ts';
import { ofGroups, ofPermissions, ofUsers } from './of-access.ts';
import { ofDatabaseApps, ofRemoteApps } from './of-apps.ts';
import {
  ofAdminUsers,
  ofAssets,
  ofCommandFilters,
  ofDomains,
  ofGateways,
  ofLabels,
  ofNodes,
  ofPlatforms,
  ofSystemUsers,
} from './of-places.ts';
import { planOf } from './plans.ts';
import { openAmong } from './sessions.ts';
import { countAndName, type Meant, visibleIds } from './store.ts';

/** What is planned, and about which objects. */
export interface Planned {
  readonly action: PlannedAction;
  readonly resource: string;
  readonly meant: Meant;
  readonly target: string;
  readonly users: readonly string[];
  /** What a permission would say once it is saved. */
  readonly terms?: PlannedTerms;
}

interface Known {
  readonly resource: Resource;
  readonly actions: readonly PlannedAction[];
  readonly find: (ask: Ask) => Promise<Consequence[]>;
}

/** What permissions are about; all others: assets. */
const ABOUT: Readonly<Record<string, Resource>> = {
  remote_app_permission: remoteApp,
  database_app_permission: databaseApp,
};

const SWITCHED = ['delete', 'disable', 'enable'] as const;
const members = async (ask: Ask) => [
  await ask.counted(
    'members',
    sql`organization_member m where m.organization_id = any (${ask.ids}::uuid[])`,
  ),
];
const concerned = async (ask: Ask) => [
  await ask.named(
    'people_concerned',
    user,
    sql`select u.id from account u
      where u.id::text in (select s.user_id from session s where s.id in (${openAmong(ask.ids)}))`,
  ),
];

/**
 * The actions that can be asked about. Users are found apart: the policy says what of an account
 * may be known.
 */
const KNOWN: readonly Known[] = [
  {
    resource: userGroup,
    actions: ['delete', 'add_members', 'remove_members', 'save'],
    find: ofGroups,
  },
  { resource: assetPermission, actions: [...SWITCHED, 'save'], find: ofPermissions(ASSETS) },
  {
    resource: remoteAppPermission,
    actions: [...SWITCHED, 'save'],
    find: ofPermissions(REMOTE_APPS),
  },
  {
    resource: databaseAppPermission,
    actions: [...SWITCHED, 'save'],
    find: ofPermissions(DATABASE_APPS),
  },
  { resource: remoteApp, actions: ['delete'], find: ofRemoteApps },
  { resource: databaseApp, actions: ['delete'], find: ofDatabaseApps },
  { resource: asset, actions: [...SWITCHED, 'move', 'add'], find: ofAssets },
  { resource: node, actions: ['delete', 'move'], find: ofNodes },
  { resource: systemUser, actions: ['delete'], find: ofSystemUsers },
  { resource: adminUser, actions: ['delete'], find: ofAdminUsers },
  { resource: domain, actions: ['delete'], find: ofDomains },
  { resource: gateway, actions: SWITCHED, find: ofGateways },
  { resource: label, actions: ['delete'], find: ofLabels },
  { resource: commandFilter, actions: SWITCHED, find: ofCommandFilters },
  { resource: platform, actions: ['delete'], find: ofPlatforms },
  { resource: organization, actions: ['delete'], find: members },
  { resource: session, actions: ['terminate'], find: concerned },
  { resource: user, actions: SWITCHED, find: async () => [] },
];

/**
 * Answers what follows from an action, for callers who may take it, about objects that they may
 * know of.
 */
export function createConsequences(
  db: Db,
  engines: Engines,
): (planned: Planned, caller: Caller) => Promise<Consequences> {
  /**
   * What the policy lets the caller know of accounts.
   * @throws Forbidden when it refuses the action
   */
  const seenOfUsers = async ({ action, ids, caller }: Ask) => {
    const rows = await engineOf(engines, user).reader.rows(ids, caller);
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

  return async ({ action, resource: name, meant, target, users, terms }, caller) => {
    const known = KNOWN.find(({ resource }) => resource.name === name);
    if (!known?.actions.includes(action)) throw invalid('action', 'not_choice', { value: action });
    const { resource } = known;
    const isNew = action === 'save' && meant.ids.length === 0;
    assertAccess(
      accessFor(action, isNew, resource) ?? Permission.SUPER,
      caller.actor,
      caller.language,
    );
    const engine = engineOf(engines, resource);
    const ids = await visibleIds(engine, meant, caller, db);
    if (ids.length === 0 && !isNew) throw notFound();
    if (action === 'move' || action === 'add')
      await engineOf(engines, node).reader.retrieve(target, caller);
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
    const plan = await planOf(name, createAsk(planned, engines));
    const ask = createAsk({ ...planned, plan }, engines);
    // Whether it may be asked at all comes first.
    const sees = resource === user ? await seenOfUsers(ask) : undefined;
    const [found, access, objects] = await Promise.all([
      sees ? ofUsers(ask, sees) : known.find(ask),
      plan ? whatIf(plan, caller) : [],
      countAndName(engine, sql`select unnest(${ids}::uuid[])`, caller, db),
    ]);
    const consequences = found.filter(({ count }) => count > 0);
    const from = plan?.at && access.length > 0 ? formatDatetime(plan.at, caller.zone) : null;
    return {
      objects,
      consequences,
      access,
      access_from: from,
      type_to_confirm: typed(action, objects, consequences, access),
    };
  };
}

/**
 * The permission bits that an action takes; undefined where only the installation's administrators
 * may do it.
 */
function accessFor(
  action: PlannedAction,
  isNew: boolean,
  { access }: Resource,
): number | undefined {
  if (action === 'terminate') return Permission.ADMIN;
  if (action === 'delete') return access.delete;
  return isNew ? access.create : access.update;
}

/** What must be typed: an action that takes something from many is not for a hurried Enter. */
function typed(
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
