import type { Row } from './database.ts';

const HEX = /^[\da-f]{32}$/i;

/** Returns an id in the usual form: MySQL stores UUIDs as 32 digits. */
export function idOf(value: unknown): string {
  const text = String(value ?? '');
  return HEX.test(text)
    ? text.toLowerCase().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    : text.toLowerCase();
}

export const textOf = (value: unknown): string =>
  value === null || value === undefined ? '' : String(value);

/** MySQL has no booleans. */
export const isTrue = (value: unknown): boolean => value === true || value === 1 || value === '1';

/** Returns a date in ISO 8601; undefined for none. */
export function dateOf(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  const date = value instanceof Date ? value : new Date(String(value));
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** Parses a JSON column, which MariaDB returns as text. */
export function jsonOf(value: unknown): unknown {
  if (typeof value !== 'string') return value ?? undefined;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

/** Returns the first of some columns that the table has. */
export const columnOf = (row: Row, ...names: readonly string[]): unknown =>
  row[names.find((name) => name in row) ?? ''];

/** Ids of default organizations: objects of Sallyport's default one have none. */
const DEFAULT = new Set(['', 'default', '00000000-0000-0000-0000-000000000002']);

/** Returns the organization of a row; blank for the default one. */
export function organizationOf(row: Row): string {
  const id = idOf(row.org_id);
  return DEFAULT.has(id) ? '' : id;
}

/** Pairs of a link table: the ids of the second column by those of the first. */
export type Pairs = ReadonlyMap<string, readonly string[]>;

export async function pairsOf(
  rows: AsyncIterable<Row>,
  [from, to]: readonly [string, string],
): Promise<Pairs> {
  const pairs = new Map<string, string[]>();
  for await (const row of rows) {
    const [one, other] = [idOf(row[from]), idOf(row[to])];
    const known = pairs.get(one);
    if (known) known.push(other);
    else pairs.set(one, [other]);
  }
  return pairs;
}
