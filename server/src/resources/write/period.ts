import { isWithoutTime, type Language, type Period, periodText } from '@sallyport/contract';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { Invalid } from '../../platform/errors.ts';
import type { Schedule } from '../../platform/jobs/definition.ts';
import type { StoredRow } from '../hooks.ts';

/** Services for the hooks of a resource with a period. */
export interface PeriodicOptions {
  readonly isLicensed: () => boolean;
  /** The time zone of crontabs. */
  readonly zone: () => string;
}

/**
 * Input of the computed field `periodic_display`, over `t`; the query returns it under that name.
 */
export const periodColumn = (): Sql => sql`jsonb_build_array(t.is_periodic, t.crontab, t.interval)`;

/** Replaces periods by their description, for `present` hooks. `zone` is that of crontabs. */
export function presentPeriods(rows: readonly StoredRow[], language: Language, zone: string): void {
  for (const row of rows) {
    if (!Array.isArray(row.periodic_display)) continue;
    const [is_periodic, crontab, interval] = row.periodic_display as [
      boolean,
      string | null,
      number | null,
    ];
    row.periodic_display = periodText({ is_periodic, crontab, interval }, language, zone);
  }
}

/**
 * Checks the period of a row, for `beforeSave` hooks. @throws Invalid if it is periodic without a
 * schedule
 */
export function assertPeriod(
  values: Partial<Period>,
  previous: Partial<Period> | undefined,
  defaultInterval: number | null,
): void {
  const period = {
    is_periodic: false,
    crontab: null,
    interval: previous ? null : defaultInterval,
    ...picked(previous),
    ...picked(values),
  };
  if (isWithoutTime(period)) throw new Invalid({ is_periodic: [{ code: 'no_period' }] });
}

function picked(values: Partial<Period> | undefined): Partial<Period> {
  if (!values) return {};
  const { is_periodic, crontab, interval } = values;
  return {
    ...(is_periodic !== undefined && { is_periodic }),
    ...(crontab !== undefined && { crontab }),
    ...(interval !== undefined && { interval }),
  };
}

/**
 * Returns the schedule of a row; the crontab wins over the interval. Undefined if it is not
 * periodic.
 */
export function scheduleOf({
  is_periodic: isPeriodic,
  crontab,
  interval,
}: Period): Schedule | undefined {
  if (!isPeriodic) return undefined;
  if (crontab) return { crontab };
  return interval ? { everyMinutes: interval * 60 } : undefined;
}
