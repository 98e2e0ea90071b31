import { type Sql, sql } from '../../platform/db/sql.ts';

/** Data-modifying `with` queries, each with a comma, and the one whose rows are counted. */
export interface OtherWrites {
  readonly others: Sql;
  readonly counted: Sql;
}
export const NO_OTHERS: OtherWrites = { others: sql``, counted: sql`(select 1)` };
