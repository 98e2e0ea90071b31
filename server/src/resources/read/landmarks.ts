import type { Db } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import type { MountedResource } from '../hooks.ts';
import { columnOf } from './columns.ts';
import { allOf } from './scope.ts';

/** An order by one column of the table, with the id where rows can share a value. */
export interface ColumnOrder {
  readonly name: string;
  /** The column, over alias `t`. */
  readonly column: Sql;
  readonly descends: boolean;
  readonly isUnique: boolean;
}

/** Returns an order by one stored column; undefined for any other order. */
export function columnOrderOf(
  { resource: { fields, dateField }, hooks }: MountedResource,
  wished: readonly string[],
): ColumnOrder | undefined {
  const [only = '', ...others] = wished;
  const name = only.replace(/^-/, '');
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  const isStored = field
    ? field.kind !== 'many' && field.kind !== 'computed' && !hooks.columns?.[name]
    : name === dateField;
  if (others.length > 0 || !isStored) return undefined;
  const column = field ? columnOf(name, field) : name;
  return {
    name: column,
    column: sql.ref(`t.${column}`),
    descends: only.startsWith('-'),
    isUnique: false,
  };
}

/** A row that starts a walk, and its number in the list. */
interface Landmark {
  readonly position: string;
  readonly id: string;
  readonly number: number;
}

/** The rows of a list: a condition over alias `t` of a table. */
interface Walked {
  readonly table: string;
  readonly matching: Sql;
  readonly order: ColumnOrder;
}

/** Pages before this row are read from the beginning of the list: that takes some milliseconds. */
const NEAR = 5_000;
/** Rows between two landmarks. A page reads at most these and its own. */
const DISTANCE = 1_000;
/** Rows are inserted and deleted meanwhile. Totals of large lists are as old. */
const LIFETIME_MILLISECONDS = 30_000;
/** Maximum number of landmarks of all lists of a resource, some 200 bytes each. */
const MOST_LANDMARKS = 20_000;
/** Maximum number of lists: clients choose their conditions. */
const MOST_LISTS = 500;

interface Known {
  readonly until: number;
  landmarks: readonly Landmark[];
  /** The number of rows whose landmarks are known. */
  upTo: number;
}

/** The beginning of the walk to a page: a condition, and the rows before the page from there. */
export interface Start {
  readonly from: Sql;
  readonly offset: number;
}

/** The positions of some rows of long lists, so that a distant page reads its neighborhood. */
export class Landmarks {
  readonly #lists = new Map<string, Known>();
  readonly #near: number;
  readonly #distance: number;
  readonly #mostLists: number;

  constructor({ near = NEAR, distance = DISTANCE, mostLists = MOST_LISTS } = {}) {
    this.#near = near;
    this.#distance = distance;
    this.#mostLists = mostLists;
  }

  /** Number of remembered lists. */
  get size(): number {
    return this.#lists.size;
  }

  /** Returns the start of the walk to the row at `offset`; undefined for the first row. */
  async before(db: Db, list: Walked, offset: number): Promise<Start | undefined> {
    if (offset < this.#near) return undefined;
    const known = this.#knownOf(list);
    const [first] = known.landmarks;
    // Most lists grow at their beginning, which moves all other rows.
    const moved = first ? (await this.#countBefore(db, list, first)) - first.number : 0;
    if (first && moved >= first.number) {
      known.landmarks = [];
      known.upTo = 0;
      return this.before(db, list, offset);
    }
    if (offset - moved > known.upTo) await this.#extend(db, list, known, offset - moved);
    const start = known.landmarks.findLast(({ number }) => number + moved <= offset);
    return start && { from: isFrom(list.order, start), offset: offset - moved - start.number };
  }

  #knownOf({ table, matching, order }: Walked): Known {
    const { text, values } = matching.compile();
    const key = JSON.stringify([table, text, values, order.name, order.descends]);
    const now = performance.now();
    const known = this.#lists.get(key);
    if (known && known.until > now) return known;
    const kept = [...this.#lists.values()].reduce(
      (sum, { landmarks }) => sum + landmarks.length,
      0,
    );
    if (kept > MOST_LANDMARKS || this.#lists.size >= this.#mostLists) this.#lists.clear();
    const fresh = { until: now + LIFETIME_MILLISECONDS, landmarks: [], upTo: 0 };
    this.#lists.set(key, fresh);
    return fresh;
  }

  /** Counts the rows before a landmark, and no more than twice as many as there were. */
  async #countBefore(db: Db, { table, matching, order }: Walked, landmark: Landmark) {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from (select from ${sql.table(table)} t
        where ${matching} and ${isBefore(order, landmark)}
        ${inOrder(order)} limit ${2 * landmark.number}) found`.execute(db);
    return rows[0]?.count ?? 0;
  }

  /** Learns the landmarks up to the row at `offset`, from the last that is known. */
  async #extend(db: Db, { table, matching, order }: Walked, known: Known, offset: number) {
    const last = known.landmarks.at(-1);
    const { column } = order;
    const amount = offset - (last?.number ?? 0) + 1;
    const { rows } = await sql<Omit<Landmark, 'number'>>`
      select position::text as position, id::text as id from (
        select ${column} as position, t.id, row_number() over (${inOrder(order)}) - 1 as number
        from ${sql.table(table)} t
        where ${allOf([matching, last && isFrom(order, last), hasNoNulls(table, order)])}
        ${inOrder(order)} limit ${amount}) found
      where number > 0 and number % ${this.#distance}::integer = 0 order by number`.execute(db);
    const begin = last?.number ?? 0;
    known.landmarks = [
      ...known.landmarks,
      ...rows.map((row, index) => ({ ...row, number: begin + (index + 1) * this.#distance })),
    ];
    known.upTo = Math.max(known.upTo, offset);
  }
}

function inOrder({ column, descends, isUnique }: ColumnOrder): Sql {
  const direction = descends ? sql`desc` : sql`asc`;
  return isUnique
    ? sql`order by ${column} ${direction}`
    : sql`order by ${column} ${direction}, t.id ${direction}`;
}

/** True if a row (alias `t`) is the landmark or comes after it. */
const isFrom = (order: ColumnOrder, landmark: Landmark): Sql =>
  compared(order, order.descends ? sql`<=` : sql`>=`, landmark);

/** True if a row comes before the landmark. An index finds these, unlike those of `not isFrom`. */
const isBefore = (order: ColumnOrder, landmark: Landmark): Sql =>
  compared(order, order.descends ? sql`>` : sql`<`, landmark);

function compared(
  { column, isUnique }: ColumnOrder,
  operator: Sql,
  { position, id }: Landmark,
): Sql {
  return isUnique
    ? sql`(${column} ${operator} ${position})`
    : sql`((${column}, t.id) ${operator} (${position}, ${id}))`;
}

/** True if the column of an order is never null: nulls have no position. */
const hasNoNulls = (table: string, { name }: ColumnOrder): Sql =>
  sql`(select attnotnull from pg_attribute
    where attrelid = ${table}::regclass and attname = ${name})`;
