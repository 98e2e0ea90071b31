import { type Sql, sql } from './sql.ts';

/**
 * Condition: a time is at most some minutes ago. A time of the future is not recent: a clock that
 * was ahead wrote it.
 */
export const isRecent = (time: Sql, minutes: number): Sql =>
  sql`(${time} > now() - make_interval(mins => ${minutes}) and ${time} <= now() + interval '1 minute')`;
