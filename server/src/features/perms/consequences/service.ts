import {
  adminUser,
  asset,
  assetPermission,
  type Consequence,
  type Consequences,
  domain,
  gateway,
  label,
  MANY_CONCERNED,
  node,
  organization,
  Permission,
  type PlannedAction,
  platform,
  type Resource,
  session,
  systemUser,
  user,
  userGroup,
} from '@sallyport/contract';
import { sql } from 'kysely';
import { assertAccess } from '../../../http/route.ts';
import type { Caller } from '../../../platform/actor.ts';
import type { Db } from '../../../platform/db/database.ts';
import { Forbidden, invalid, notFound } from '../../../platform/errors.ts';
import { type Engines, engineOf } from '../../../resources/engines.ts';
import { type Ask, createAsk } from './ask.ts';
import { ofGroups, ofPermissions, ofUsers } from './of-access.ts';
import { ofAdminUsers, ofAssets, ofDomains, ofGateways, ofLabels, ofNodes, ofPlatforms, ofSystemUsers } from './of-places.ts';
import { openAmong } from './sessions.ts';
import { countAndName, type Meant, visibleIds } from './store.ts';

/** What is planned, and about which objects. */
export interface Planned {
  readonly action: PlannedAction;
  readonly resource: string;
  readonly meant: Meant;
  readonly target: string;
  readonly users: readonly string[];
}

interface Known {
  readonly resource: Resource;
  readonly actions: readonly PlannedAction[];
  readonly find: (ask: Ask) => Promise<Consequence[]>;
}

const SWITCHED = ['delete', 'disable', 'enable'] as const;
const members = async (ask: Ask) => [await ask.counted('members', sql`organization_member m where m.organization_id = any (${ask.ids}::uuid[])`)];
const concerned = async (ask: Ask) => [
  await ask.named(
    'people_concerned',
    user,
    sql`select u.id from account u where u.id::text in (select s.user_id from session s where s.id in (${openAmong(ask.ids)}))`,
  ),
];

/** The actions that can be asked about. Users are found apart: the policy says what of an account may be known. */
const KNOWN: readonly Known[] = [
  { resource: userGroup, actions: ['delete', 'add_members', 'remove_members'], find: ofGroups },
  { resource: assetPermission, actions: SWITCHED, find: ofPermissions },
  { resource: asset, actions: [...SWITCHED, 'move', 'add'], find: ofAssets },
  { resource: node, actions: ['delete', 'move'], find: ofNodes },
  { resource: systemUser, actions: ['delete'], find: ofSystemUsers },
  { resource: adminUser, actions: ['delete'], find: ofAdminUsers },
  { resource: domain, actions: ['delete'], find: ofDomains },
  { resource: gateway, actions: SWITCHED, find: ofGateways },
  { resource: label, actions: ['delete'], find: ofLabels },
  { resource: platform, actions: ['delete'], find: ofPlatforms },
  { resource: organization, actions: ['delete'], find: members },
  { resource: session, actions: ['terminate'], find: concerned },
  { resource: user, actions: SWITCHED, find: async () => [] },
];

/** Answers what follows from an action, for callers who may take it, about objects that they may know of. */
export function createConsequences(db: Db, engines: Engines): (planned: Planned, caller: Caller) => Promise<Consequences> {
  /** What the policy lets the caller know of accounts. @throws Forbidden when it refuses the action */
  const seenOfUsers = async ({ action, ids, caller }: Ask) => {
    const rows = await engineOf(engines, user).reader.rows(ids, caller);
    const refusalsOf = (row: (typeof rows)[number]) => row.refusals as Readonly<Record<string, string>>;
    const refused = rows.some((row) => (action === 'delete' ? row.can_delete !== true : refusalsOf(row).is_active !== undefined));
    if (refused) throw new Forbidden('object_protected');
    const sees = (change: string) => rows.every((row) => refusalsOf(row)[change] === undefined);
    return { signIns: sees('sign_ins'), keys: sees('access_keys') };
  };

  return async ({ action, resource: name, meant, target, users }, caller) => {
    const known = KNOWN.find(({ resource }) => resource.name === name);
    if (!known?.actions.includes(action)) throw invalid('action', 'not_choice', { value: action });
    const { resource } = known;
    const { access } = resource;
    const needed = action === 'terminate' ? Permission.ADMIN : action === 'delete' ? access.delete : access.update;
    assertAccess(needed ?? Permission.SUPER, caller.actor, caller.language);
    const engine = engineOf(engines, resource);
    const ids = await visibleIds(engine, meant, caller, db);
    if (ids.length === 0) throw notFound();
    if (action === 'move' || action === 'add') await engineOf(engines, node).reader.retrieve(target, caller);
    const ask = createAsk({ action, ids, caller, db, target, users: await visibleIds(engineOf(engines, user), { ids: users, spm: '' }, caller, db) }, engines);
    const found = resource === user ? await ofUsers(ask, await seenOfUsers(ask)) : await known.find(ask);
    const consequences = found.filter(({ count }) => count > 0);
    const objects = await countAndName(engine, sql`select unnest(${ids}::uuid[])`, caller, db);
    return { objects, consequences, type_to_confirm: typed(action, objects, consequences) };
  };
}

/** What must be typed: an action that takes something from many is not for a hurried Enter. */
function typed(action: PlannedAction, objects: Consequences['objects'], consequences: readonly Consequence[]): string | null {
  if (action === 'enable' || action === 'add' || action === 'add_members') return null;
  const isMany =
    objects.count > MANY_CONCERNED || consequences.some(({ kind, count, blocks }) => !blocks && /^(people|assets)_/.test(kind) && count > MANY_CONCERNED);
  if (!isMany) return null;
  return objects.count === 1 ? (objects.names[0] ?? '1') : String(objects.count);
}
