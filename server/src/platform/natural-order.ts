/** Numbers within names count as numbers; Chinese names follow their pronunciation. Making a collator is dear, comparing with it is not. */
const COLLATOR = new Intl.Collator('zh-Hans-CN', { numeric: true, sensitivity: 'base' });

/** Compares names as people order them: `svc-2` comes before `svc-10`. */
export const compareNames = (one: string, other: string): number => COLLATOR.compare(one, other);

/** Sorts by a name as people do: `svc-2` comes before `svc-10`. Equal names keep their order. */
export function inNaturalOrder<Row>(rows: readonly Row[], name: (row: Row) => string): Row[] {
  return rows.toSorted((one, other) => compareNames(name(one), name(other)));
}
