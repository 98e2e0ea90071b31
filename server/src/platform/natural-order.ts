/**
 * Compares numbers in names by value and Chinese names by pronunciation. Shared, because creating a
 * collator is expensive.
 */
const COLLATOR = new Intl.Collator('zh-Hans-CN', { numeric: true, sensitivity: 'base' });

/** Compares names in natural order: `svc-2` before `svc-10`. */
export const compareNames = (one: string, other: string): number => COLLATOR.compare(one, other);

/** Sorts rows by name in natural order: `svc-2` before `svc-10`. The sort is stable. */
export function inNaturalOrder<Row>(rows: readonly Row[], name: (row: Row) => string): Row[] {
  return rows.toSorted((one, other) => compareNames(name(one), name(other)));
}
