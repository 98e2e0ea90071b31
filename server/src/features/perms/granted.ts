import {
  failuresOf,
  type GrantedAsset,
  type GrantedSystemUser,
  isUuid,
  say,
  timeFailuresOf,
} from '@sallyport/contract';
import type { Context } from '../../http/context.ts';
import { pageOf, withNeighbors } from '../../http/page.ts';
import { parameter } from '../../http/route.ts';
import { databaseClock } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { notFound } from '../../platform/errors.ts';
import type { SettingsService } from '../../platform/settings/service.ts';
import type { Engines } from '../../resources/engines.ts';
import { setCondition } from '../../resources/read/resource-set.ts';
import { allOf } from '../../resources/read/scope.ts';
import { nodeLeaf } from '../assets/index.ts';
import type { GrantedAccount } from './grants/accounts.ts';
import { listGrantedAssets } from './grants/assets.ts';
import { notNow } from './grants/conditions.ts';
import type { GrantedNode, GrantService } from './grants/service.ts';
import {
  allGrantedNodes,
  FAVORITE_ID,
  findGrantedNodes,
  grantedLeaves,
  grantedTree,
  isFavoriteOf,
  wholeTree,
} from './grants/tree.ts';
import { isGrouped, isUngrouped, UNGROUPED_ID } from './grants/ungrouped.ts';
import {
  ASSET_ID,
  isAsset,
  keyOfNode,
  matchesSearch,
  type Narrowing,
  NO_ASSET,
  onNode,
} from './store.ts';
import type { SubjectRoutes } from './subjects.ts';

export interface GrantRouteOptions {
  readonly db: Db;
  readonly engines: Engines;
  readonly grants: GrantService;
  readonly settings: SettingsService;
}

/** The services of the routes, and the user or group whose grants they return. */
export type Granted = GrantRouteOptions & Pick<SubjectRoutes, 'subject' | 'own'>;

export const toWire = ({
  mask,
  rules,
  validUntil,
  grants,
  ...account
}: GrantedAccount): GrantedSystemUser => account;

/**
 * Returns why the conditions of an account refuse it now. The client is known for the caller's own
 * grants only; others are judged by the time.
 */
export function refusalNow(
  account: GrantedAccount,
  own: boolean,
  { actor, language }: Context,
): { readonly not_now?: string } {
  const now = databaseClock.now();
  const reason = notNow(account, (terms) =>
    own
      ? failuresOf(terms, { address: actor.remoteAddress, client: 'web', now })
      : timeFailuresOf(terms, now),
  );
  return reason ? { not_now: say(reason, language) } : {};
}

/** Adds to the assets of a page why conditions refuse all of their accounts now. */
async function withRefusals(
  assets: readonly GrantedAsset[],
  { grants, subject, own }: Granted,
  context: Context,
): Promise<GrantedAsset[]> {
  const accounts = await grants.accountsOn(
    await subject(context),
    assets.map(({ id }) => id),
  );
  const refusals = new Map<string, { readonly not_now?: string }>();
  for (const account of accounts) {
    const refusal = refusalNow(account, own, context);
    if (!refusal.not_now || !refusals.has(account.target)) refusals.set(account.target, refusal);
  }
  return assets.map((asset) => ({ ...asset, ...refusals.get(asset.id) }));
}

const MAX_LEAVES = 200;

const viewOf = async ({ grants, subject }: Granted, context: Context) =>
  grants.view(await subject(context));

/** Returns an id in the path. @throws NotFound */
function uuidParameter(context: Context, name: string): string {
  const id = parameter(context, name);
  if (!isUuid(id)) throw notFound();
  return id;
}

const favoritesOf = ({ own }: Granted, { actor }: Context): string | undefined =>
  own ? actor.userId : undefined;

/** Returns the condition on the assets of a node, or of one of the two nodes of the system. */
async function placeOf(granted: Granted, context: Context, id: string): Promise<Narrowing> {
  if (id === FAVORITE_ID)
    return { condition: granted.own ? isFavoriteOf(context.actor.userId) : NO_ASSET };
  const view = await viewOf(granted, context);
  if (id === UNGROUPED_ID) return { condition: view.ungroups ? isUngrouped(view) : NO_ASSET };
  const wantsAll = ['1', 'true', 'all'].includes(context.query.get('all') ?? '');
  const narrowing = onNode(id, wantsAll);
  const grouped = isGrouped(view);
  return grouped ? { condition: allOf([narrowing.condition, grouped]) } : narrowing;
}

async function listAt(granted: Granted, context: Context, place: Narrowing | undefined) {
  const { db, settings, grants, subject } = granted;
  const chosen = await setCondition(context.query, context, db, { id: ASSET_ID });
  const narrowing = chosen ? { condition: allOf([place?.condition, chosen]) } : place;
  const sortBy = settings.get('TERMINAL_ASSET_LIST_SORT_BY');
  let hasConditions = false;
  const list = await grants.read(await subject(context), (view) => {
    ({ hasConditions } = view.coverage);
    return listGrantedAssets(db, view, context.query, { sortBy, narrowing });
  });
  const judged =
    hasConditions && !Array.isArray(list)
      ? { ...list, results: await withRefusals(list.results, granted, context) }
      : list;
  return withNeighbors(context, judged);
}

/**
 * Lists the granted assets, or those on the node of the query. `within` is another condition, over
 * alias `a`.
 */
export async function listAssets(granted: Granted, context: Context, within?: Sql) {
  const node = context.query.get('node');
  const place = !node
    ? undefined
    : isUuid(node)
      ? await placeOf(granted, context, node)
      : { condition: NO_ASSET };
  const narrowing = within ? { condition: allOf([place?.condition, within]) } : place;
  return listAt(granted, context, narrowing);
}

/** Lists the granted assets on the node of the path. */
export async function listAssetsOnNode(granted: Granted, context: Context) {
  const place = await placeOf(granted, context, uuidParameter(context, 'node'));
  return listAt(granted, context, place);
}

/** Lists the granted accounts of the asset of the path. */
export async function listAccounts({ grants, subject, own }: Granted, context: Context) {
  const accounts = await grants.accounts(await subject(context), uuidParameter(context, 'asset'));
  return pageOf(
    context,
    accounts.map((account) => ({ ...toWire(account), ...refusalNow(account, own, context) })),
  );
}

/** Finds granted assets for a tree, by search or id. */
export async function findLeaves(granted: Granted, context: Context) {
  const { db } = granted;
  const id = context.query.get('id');
  if (id && !isUuid(id)) return [];
  const view = await viewOf(granted, context);
  return id
    ? grantedLeaves(db, view, isAsset(id), 1)
    : grantedLeaves(db, view, matchesSearch(context.query.get('search') ?? ''), MAX_LEAVES);
}

const nodesOf = async (granted: Granted, context: Context) =>
  allGrantedNodes(granted.db, await viewOf(granted, context), context.language);

const flat = ({ id, key, value, org_id, assets_amount }: GrantedNode) => ({
  id,
  name: value,
  key,
  value,
  org_id,
  assets_amount,
});

/** Lists the granted nodes. */
export const listNodes = async (granted: Granted, context: Context) =>
  pageOf(context, (await nodesOf(granted, context)).map(flat));

/** Lists the granted nodes as a tree, all at once. */
export const listNodeLeaves = async (granted: Granted, context: Context) =>
  (await nodesOf(granted, context)).map((node) => nodeLeaf(node));

/** Lists the granted nodes below one, or the roots and one level. */
export async function listNodesBelow(granted: Granted, context: Context) {
  const above = await keyOf(granted, context);
  const isListed = (key: string) =>
    above === undefined
      ? key.split(':').length <= 2
      : key.includes(':') && key.slice(0, key.lastIndexOf(':')) === above;
  const nodes = await nodesOf(granted, context);
  return pageOf(context, nodes.filter(({ key }) => isListed(key)).map(flat));
}

/** Shows the whole tree with its assets. */
export const showWholeTree = async (granted: Granted, context: Context) =>
  wholeTree(
    granted.db,
    await viewOf(granted, context),
    favoritesOf(granted, context),
    context.language,
  );

/** Shows one level of the tree, or the nodes of a search. */
export async function showLevel(granted: Granted, context: Context, withAssets: boolean) {
  const search = context.query.getAll('search').at(-1)?.trim();
  const view = await viewOf(granted, context);
  if (search && !withAssets) return findGrantedNodes(granted.db, view, search);
  return grantedTree(granted.db, view, {
    key: await keyOf(granted, context),
    withAssets,
    favoritesOf: favoritesOf(granted, context),
    language: context.language,
  });
}

/** Key of the node in the query, which has a key or an id; an empty key if the id is unknown. */
async function keyOf({ db }: Granted, { query }: Context): Promise<string | undefined> {
  const keyOrId = query.get('key') || query.get('id') || undefined;
  if (keyOrId === undefined || !isUuid(keyOrId))
    return keyOrId?.replaceAll('\u0000', '').slice(0, 255);
  return (await keyOfNode(keyOrId, db)) ?? '';
}
