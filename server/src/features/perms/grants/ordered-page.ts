import type { Db } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { allOf } from '../../../resources/read/scope.ts';
import { isRemembered, type Narrowing } from '../store.ts';
import { isReachedInBulk } from './coverage.ts';
import { INACTIVE } from './inactive.ts';
import type { GrantView } from './service.ts';

/** A page of a list in an order. */
export interface OrderedPage {
  /** Order as requested, such as `-ip`; `column` and `direction` are its SQL. */
  readonly order: string;
  readonly column: Sql;
  readonly direction: Sql;
  readonly limit: number;
  readonly offset: number;
}

/** Every asset of the list whose number is a multiple of this has a landmark. */
const LANDMARK_DISTANCE = 250;

/** Above this number of organizations, a page sorts their assets instead of merging their lists. */
const MOST_MERGED = 20;

/** The position of an asset in a list: the value of the order column, and its id. */
interface Landmark {
  readonly position: string;
  readonly id: string;
}

/**
 * Returns a query for the ids of a page. A deep page starts at a landmark: the view remembers the
 * positions of some assets of the list, so a page reads its neighborhood and not all before it.
 */
export async function idsOfPage(
  db: Db,
  view: GrantView,
  page: OrderedPage,
  {
    narrowing,
    distance = LANDMARK_DISTANCE,
  }: {
    readonly narrowing: Narrowing | undefined;
    readonly distance?: number | undefined;
  },
): Promise<Sql> {
  if (page.offset < distance || !isRemembered(narrowing)) return walk(view, page, narrowing);
  const isWalked = view.coverage.isEverything && !narrowing && isMerged(view);
  // Each length is twice the one before, so few walks lead to any page.
  const length = distance * 2 ** Math.ceil(Math.log2((page.offset + 1) / distance));
  const landmarks = await view.remember(
    `landmarks ${narrowing?.place?.name ?? ''} by ${page.order} ${isWalked ? length : ''}`,
    async () => {
      const finding = isWalked
        ? landmarksOnWalk(view, page, { length, distance })
        : landmarksOf(view, page, narrowing?.place?.ids, distance);
      return (await finding.execute(db)).rows;
    },
  );
  const start = landmarks[Math.floor(page.offset / distance)];
  if (!start) return sql`select null::uuid as id where false`;
  return walk(view, { ...page, offset: page.offset % distance }, narrowing, start);
}

/** Query for the ids of a page that begins at a landmark, or at the first asset. */
function walk(
  view: GrantView,
  { order, column, direction, limit, offset }: OrderedPage,
  narrowing: Narrowing | undefined,
  start?: Landmark,
): Sql {
  const { organizations } = view.coverage;
  const inOrder = sql`order by position ${direction}, id ${direction}`;
  const from =
    start &&
    sql`(${column}, a.id) ${order.startsWith('-') ? sql`<=` : sql`>=`}
      (${start.position}, ${start.id}::uuid)`;
  // A search visits many assets, which the index of the order holds except for their state.
  const isSearch = narrowing !== undefined && !narrowing.place && view.coverage.isEverything;
  const isGranted = isSearch ? isReachedInBulk(view.coverage) : view.isGranted;
  const assetsOf = (organization: Sql | undefined) => sql`
    (select a.id, ${column} as position from asset a
      where ${allOf([isGranted, organization, narrowing?.condition, from])}
      ${inOrder} limit ${limit + offset})`;
  // The index on organization and order column provides the order of each part.
  const parts = isMerged(view)
    ? organizations.map((organization) => assetsOf(sql`a.org_id = ${organization}`))
    : [assetsOf(undefined)];
  return sql`select found.id from (${sql.join(parts, sql` union all `)}) found
    ${inOrder} limit ${limit} offset ${offset}`;
}

/** True if the lists of the organizations are merged, each by its index. */
const isMerged = ({ coverage }: GrantView): boolean => coverage.organizations.length <= MOST_MERGED;

/**
 * Query for the landmarks of the first `length` assets of all, found by walking an index of each
 * organization.
 */
function landmarksOnWalk(
  { coverage: { organizations } }: GrantView,
  { order, column, direction }: OrderedPage,
  { length, distance }: { readonly length: number; readonly distance: number },
): Sql<Landmark> {
  // Host names of one organization are unique, and the index on them has no id to sort by.
  const isUnique = organizations.length === 1 && order.endsWith('hostname');
  const inOrder = isUnique
    ? sql`order by position ${direction}`
    : sql`order by position ${direction}, id ${direction}`;
  const parts = organizations.map(
    (organization) => sql`(select a.id, ${column} as position from asset a
      where a.org_id = ${organization} and a.id not in (${INACTIVE}) ${inOrder} limit ${length})`,
  );
  return sql<Landmark>`
    select position, id from (
      select position, id, row_number() over (${inOrder}) - 1 as number
      from (${sql.join(parts, sql` union all `)}) found) numbered
    where number % ${distance}::integer = 0 and number < ${length}::bigint order by number`;
}

/** Query for every asset of the list whose number is a multiple of `distance`. */
function landmarksOf(
  { coverage }: GrantView,
  { column, direction }: OrderedPage,
  within: Sql | undefined,
  distance: number,
): Sql<Landmark> {
  return sql<Landmark>`
    select position, id from (
      select ${column} as position, a.id,
        row_number() over (order by ${column} ${direction}, a.id ${direction}) - 1 as number
      from asset a
      where ${allOf([isReachedInBulk(coverage), within && sql`a.id in (${within})`])}) numbered
    where number % ${distance}::integer = 0 order by number`;
}
