import { type Sql, sql } from '../../platform/db/sql.ts';

/**
 * Data-modifying `with` queries, each with a comma, and the one whose rows are counted. Without
 * such a row, the statement writes nothing.
 */
export interface OtherWrites {
  readonly others: Sql;
  readonly counted: Sql;
}
/** Condition that the counted query has a row. */
export const isCounted = ({ counted }: Pick<OtherWrites, 'counted'>): Sql =>
  sql`exists (select from ${counted} allowed)`;

export const NO_OTHERS: OtherWrites = { others: sql``, counted: sql`(select 1)` };
