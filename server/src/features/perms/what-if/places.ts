import type { Db } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { inSlices, type Sliced } from '../../../platform/slices.ts';
import type { PlacedAtom, PlaceGroup } from './load.ts';

/** The active assets at or below some nodes of an organization. */
export interface Places {
  readonly groups: readonly PlaceGroup[];
  /** Keys of their nodes and of the nodes above these, with parents before children. */
  readonly keys: ReadonlyMap<string, number>;
  /** For each key the number of its parent, -1 for a root. */
  readonly parents: readonly number[];
  /** For each group the numbers of its keys. */
  readonly keysOf: readonly (readonly number[])[];
}

/**
 * Up to this number of assets an index is read for each of them. Above it, the indexes of all
 * assets are read in their order.
 */
const MOST_LOOKED_UP = 50_000;

/** Places of an asset (aliases `held`, `n`) as a text, in an order that makes it comparable. */
export const PLACES = sql`string_agg(n.key, ' ' order by n.key)`;

export async function loadPlaces(
  organizationId: string,
  nodes: readonly string[],
  db: Db,
  mostLookedUp = MOST_LOOKED_UP,
): Promise<Places> {
  const { rows } = await sql<{ amount: number | string }>`
    select coalesce(sum(n.assets_amount), 0) as amount from node n
    where n.org_id = ${organizationId} and n.id = any (${nodes}::uuid[])`.execute(db);
  const areFew = Number(rows[0]?.amount ?? 0) <= mostLookedUp;
  return inSlices(numberKeys(await (areFew ? lookUp : readAll)(organizationId, nodes, db)));
}

const GROUPS_PER_PAUSE = 256;

/** Gives the nodes of groups numbers, so that each comparison compares numbers instead of texts. */
function* numberKeys(groups: readonly PlaceGroup[]): Sliced<Places> {
  const keys = new Map<string, number>();
  const parents: number[] = [];
  const numberOf = (key: string): number => {
    const number = keys.get(key);
    if (number !== undefined) return number;
    const end = key.lastIndexOf(':');
    const parent = end > 0 ? numberOf(key.slice(0, end)) : -1;
    keys.set(key, parents.length);
    return parents.push(parent) - 1;
  };
  const keysOf: number[][] = [];
  for (const [index, { places }] of groups.entries()) {
    if (index % GROUPS_PER_PAUSE === 0) yield;
    keysOf.push(places.split(' ').map(numberOf));
  }
  return { groups, keys, parents, keysOf };
}

/** The root of an organization, below which each asset is counted once for each of its places. */
const rootOf = (organizationId: string): Sql =>
  sql`(select root.id from node root
    where root.parent_id is null and root.org_id = ${organizationId})`;

/** Groups of the assets with several places, by a condition on their nodes (alias `n`). */
const severalPlaces = (ids: Sql, isBelow: Sql): Sql => sql`
  select several.places, several.offered, count(*)::integer as weight from (
    select ${PLACES} as places, array_to_string(a.protocols, ' ') as offered
    from (${ids}) shared (id) join asset a on a.id = shared.id and a.is_active
      join node_assets held on held.asset_id = shared.id join node n on n.id = held.node_id
    group by a.id having bool_or(${isBelow})) several
  group by several.places, several.offered`;

/** Reads the assets of the nodes by an index for each. */
async function lookUp(
  organizationId: string,
  nodes: readonly string[],
  db: Db,
): Promise<readonly PlaceGroup[]> {
  // A separate query, because the planner reads the assets well once it knows the number of nodes.
  const { rows: places } = await sql<{ id: string; key: string }>`
    select n.id, n.key from node n where n.org_id = ${organizationId}
      and n.id = any (${nodes}::uuid[])
    union
    select n.id, n.key from node root join node n on n.org_id = root.org_id
      and n.key ~>=~ (root.key || ':') and n.key ~<~ (root.key || ';')
    where root.org_id = ${organizationId} and root.id = any (${nodes}::uuid[])`.execute(db);
  // Asks an index for each asset: a list of all of them in a table of the statement has no
  // statistics, and the planner compares each asset with each row of it.
  const isShared = sql`exists (select 1 from asset_ancestor shared
    where shared.asset_id = held.asset_id and shared.times > 1
      and shared.node_id = ${rootOf(organizationId)})`;
  // One statement for both kinds, because they share the most expensive part.
  const { rows } = await sql<PlaceGroup>`
    with held as materialized (
      select held.asset_id, held.key, ${isShared} as is_shared
      from (select held.asset_id, place.key
        from unnest(${places.map(({ id }) => id)}::uuid[],
          ${places.map(({ key }) => key)}::text[]) place (id, key)
        join node_assets held on held.node_id = place.id offset 0) held
    )
    select held.key as places, array_to_string(a.protocols, ' ') as offered,
      count(*)::integer as weight
    from held join asset a on a.id = held.asset_id and a.is_active
    where not held.is_shared group by held.key, a.protocols
    union all
    ${severalPlaces(sql`select distinct held.asset_id from held where held.is_shared`, sql`true`)}`.execute(
    db,
  );
  return rows;
}

/**
 * Reads the assets of the nodes among all assets, in the order of the indexes that hold places and
 * protocols, without a row of an asset.
 */
async function readAll(
  organizationId: string,
  nodes: readonly string[],
  db: Db,
): Promise<readonly PlaceGroup[]> {
  const isBelow = sql`(n.org_id = ${organizationId} and n.ancestors && ${nodes}::uuid[])`;
  const { rows } = await sql<PlaceGroup>`
    with shared as materialized (
      select held.asset_id as id from asset_ancestor held
      where held.times > 1 and held.node_id = ${rootOf(organizationId)}
    )
    select n.key as places, one.offered, one.weight from (
      select held.node_id, array_to_string(a.protocols, ' ') as offered,
        count(*)::integer as weight
      from node_assets held join asset a on a.id = held.asset_id and a.is_active
        left join shared on shared.id = held.asset_id
      where shared.id is null group by held.node_id, a.protocols) one
      join node n on n.id = one.node_id and ${isBelow}
    union all
    ${severalPlaces(sql`select id from shared`, isBelow)}`.execute(db);
  return rows;
}

/**
 * Merges assets into atoms by the nodes that permissions name, the `known` keys: of the nodes at
 * and above a place, the nearest known one is as good as the place. Assets that permissions name
 * directly are atoms already, and do not count again.
 */
export async function atomsOf(
  places: Places,
  known: ReadonlySet<string>,
  named: readonly PlacedAtom[],
): Promise<PlacedAtom[]> {
  return [...named, ...(await inSlices(mergeGroups(places, known, countNamed(named))))];
}

const nameOf = (places: string, offered: string) => `${places} ${offered}`;

/** Counts the named assets that are part of a group, by the name of the group. */
function countNamed(named: readonly PlacedAtom[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { places, offered } of named) {
    const name = nameOf(places.join(' '), offered);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

function* mergeGroups(
  { groups, keys, parents, keysOf }: Places,
  known: ReadonlySet<string>,
  namedCounts: ReadonlyMap<string, number>,
): Sliced<PlacedAtom[]> {
  const knownAt = new Map<number, string>();
  for (const key of known) {
    const number = keys.get(key);
    if (number !== undefined) knownAt.set(number, key);
  }
  // Parents come first, so the nearest known node above each key is known already.
  const nearest = new Int32Array(parents.length);
  for (const [number, parent] of parents.entries())
    nearest[number] = knownAt.has(number) ? number : parent < 0 ? -1 : (nearest[parent] ?? -1);
  const atoms = new Map<string, PlacedAtom & { weight: number; readonly groups: PlaceGroup[] }>();
  for (const [index, group] of groups.entries()) {
    if (index % GROUPS_PER_PAUSE === 0) yield;
    const { places, offered, weight } = group;
    const left =
      namedCounts.size > 0 ? weight - (namedCounts.get(nameOf(places, offered)) ?? 0) : weight;
    if (left <= 0) continue;
    const [first = -1, ...more] = new Set(
      keysOf[index]?.flatMap((number) => (nearest[number] === -1 ? [] : (nearest[number] ?? []))),
    );
    // No permission of the comparison reaches these assets.
    if (first === -1) continue;
    const numbers = more.length > 0 ? [first, ...more].sort((a, b) => a - b) : [first];
    const name = nameOf(numbers.join(' '), offered);
    const atom = atoms.get(name);
    if (atom) {
      atom.weight += left;
      atom.groups.push(group);
    } else {
      const alone = { id: null, rules: [], planned: false };
      const atKeys = numbers.flatMap((number) => knownAt.get(number) ?? []);
      atoms.set(name, { ...alone, weight: left, places: atKeys, offered, groups: [group] });
    }
  }
  return [...atoms.values()];
}

/** Keys of the nodes that permissions, the plan and its moves name. */
export function knownKeys(
  rules: readonly { readonly nodes: readonly string[] }[],
  planned: readonly string[],
  moves: readonly { readonly key: string }[],
): ReadonlySet<string> {
  return new Set([
    ...rules.flatMap(({ nodes }) => nodes),
    ...planned,
    ...moves.map(({ key }) => key),
  ]);
}

/** Query for the ids of the assets of groups, without those that are atoms alone. */
export function assetsOfGroups(groups: readonly PlaceGroup[], alone: readonly string[]): Sql {
  return sql`
    select a.id from unnest(${groups.map(({ places }) => places.split(' ')[0] ?? '')}::text[],
      ${groups.map(({ places }) => places)}::text[],
      ${groups.map(({ offered }) => offered)}::text[]) as one (key, places, offered)
      join node n on n.key = one.key join node_assets at on at.node_id = n.id
      join asset a on a.id = at.asset_id and a.is_active
        and array_to_string(a.protocols, ' ') = one.offered
    where a.id <> all (${alone}::uuid[])
      and (select ${PLACES} from node_assets held join node n on n.id = held.node_id
        where held.asset_id = a.id) = one.places`;
}
