import { MOST_USED_DAYS } from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { invalid } from '../../platform/errors.ts';

/** Tables with the days on which users and assets had sessions (migration 0217). */
const KEPT = {
  user: { last: sql`session_last_user`, days: sql`session_day_user`, key: sql`user_id` },
  asset: { last: sql`session_last_asset`, days: sql`session_day_asset`, key: sql`asset_id` },
} as const;

/** Today in the time zone of the installation. A subquery runs once, not per row. */
export const TODAY = sql`(select session_today())`;

/**
 * True if a user or asset (alias `t`) had a session in the organization in the last days, including
 * today, in the time zone of the installation.
 */
export function wasUsed(
  kind: keyof typeof KEPT,
  days: number,
  { actor }: Pick<Caller, 'actor'>,
): Sql {
  const { last, key } = KEPT[kind];
  return sql`t.id in (select used.${key} from ${last} used
    where used.org_id = ${actor.organization.id} and used.day > ${TODAY} - ${days}::integer)`;
}

/** True if a user (alias `t`) has an open session in an organization. */
export const isOnline = (organization: string): Sql =>
  sql`t.id in (select uuid_or_null(open.user_id) from session open
    where open.org_id = ${organization} and not open.is_finished)`;

function daysOf(name: string, value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw invalid(name, 'not_integer');
  const days = Number(value);
  if (days < 1) throw invalid(name, 'too_small', { min: 1 });
  if (days > MOST_USED_DAYS) throw invalid(name, 'too_large', { max: MOST_USED_DAYS });
  return days;
}

/**
 * List filters by sessions in the caller's organization. `used_days` and `unused_days` take 1 to
 * {@link MOST_USED_DAYS} days including today; `used_on` takes one day (`2026-01-31`). Days are
 * those of the installation.
 *
 * @throws Invalid for other values
 */
export function useFilters(
  kind: keyof typeof KEPT,
): Readonly<
  Record<'used_days' | 'unused_days' | 'used_on', (value: string, caller: Caller) => Sql>
> {
  const { days, key } = KEPT[kind];
  return {
    used_days: (value, caller) => wasUsed(kind, daysOf('used_days', value), caller),
    unused_days: (value, caller) => sql`not ${wasUsed(kind, daysOf('unused_days', value), caller)}`,
    used_on(value, { actor }) {
      if (!/^\d{4}-\d{2}-\d{2}$/.test(value) || Number.isNaN(Date.parse(value)))
        throw invalid('used_on', 'not_datetime');
      return sql`t.id in (select used.${key} from ${days} used
        where used.org_id = ${actor.organization.id} and used.day = ${value}::date)`;
    },
  };
}
