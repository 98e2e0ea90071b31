import type { SessionMarks } from '../features/features.ts';
/** Parts of GET index/, each requested by a parameter of this name; `all` requests all. */
export const DASHBOARD_PARTS = [
  'total_count',
  'total_count_users',
  'total_count_assets',
  'total_count_online_users',
  'total_count_online_sessions',
  'dates_metrics',
  'dates_total_count_users',
  'dates_total_count_assets',
  'dates_total_count',
  'dates_login_times_top5_users',
  'dates_login_times_top10_users',
  'dates_login_times_top10_assets',
  'dates_login_record_top10_sessions',
] as const;
export type DashboardPart = (typeof DASHBOARD_PARTS)[number];

/** Days of the dashboard including today: a week, or a month with `monthly`. */
export const DASHBOARD_DAYS = { week: 7, month: 30 } as const;

/** Days for which lists know who worked where: `used_days`, `unused_days`, `used_on`. */
export const MOST_USED_DAYS = 60;

/** First and last second of a period, as `date_from` and `date_to` of lists. */
export interface DateRange {
  readonly from: string;
  readonly to: string;
}

/** A user or an asset with the number of sessions and the start of the latest. */
interface Top {
  readonly total: number;
  readonly last: string;
}
/** `user_id` is empty if the sessions have none. */
export type TopUser = Top & { readonly user: string; readonly user_id: string };
export type TopAsset = Top & { readonly asset: string; readonly asset_id: string };

export interface LatestSession extends SessionMarks {
  readonly id: string;
  readonly user: string;
  readonly asset: string;
  readonly is_finished: boolean;
  readonly date_start: string;
  /** Time since its start, in the caller's language. */
  readonly timesince: string;
}

/** GET index/: the requested parts. Days are in the installation's time zone. */
export interface DashboardIndex {
  readonly total_count_users?: number;
  readonly total_count_assets?: number;
  readonly total_count_online_users?: number;
  readonly total_count_online_sessions?: number;
  /** The period of the numbers below; present with any of them. */
  readonly dates_range?: DateRange;
  /** `MM-DD`, oldest first; the next four members have a number or bounds per day. */
  readonly dates_metrics_date?: readonly string[];
  readonly dates_metrics_total_count_login?: readonly number[];
  readonly dates_metrics_total_count_active_users?: readonly number[];
  readonly dates_metrics_total_count_active_assets?: readonly number[];
  readonly dates_metrics_range?: readonly (DateRange & { readonly date: string })[];
  /** Users of the organization with a session, without one, and disabled. */
  readonly dates_total_count_active_users?: number;
  readonly dates_total_count_inactive_users?: number;
  readonly dates_total_count_disabled_users?: number;
  /** Both disabled and active assets. */
  readonly dates_total_count_disabled_active_users?: number;
  readonly dates_total_count_active_assets?: number;
  readonly dates_total_count_inactive_assets?: number;
  readonly dates_total_count_disabled_assets?: number;
  readonly dates_total_count_disabled_active_assets?: number;
  /** Distinct users with a session, even deleted ones; and the number of sessions. */
  readonly dates_total_count_login_users?: number;
  readonly dates_total_count_login_times?: number;
  readonly dates_login_times_top5_users?: readonly Pick<TopUser, 'user' | 'total'>[];
  readonly dates_login_times_top10_users?: readonly TopUser[];
  readonly dates_login_times_top10_assets?: readonly TopAsset[];
  readonly dates_login_record_top10_sessions?: readonly LatestSession[];
}
