/** The parts of GET index/ that a request can ask for, each by a parameter of this name with any value; `all` asks for all of them. */
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

/** How many days the dashboard looks back, today included: a week, or a month with `monthly`. */
export const DASHBOARD_DAYS = { week: 7, month: 30 } as const;

/** For how many days lists know who worked, and where: `used_days`, `unused_days`, `used_on`. */
export const MOST_USED_DAYS = 60;

/** The first and the last second of a day, or of several, as `date_from` and `date_to` of lists take them. */
export interface DateRange {
  readonly from: string;
  readonly to: string;
}

/** A user or an asset with the sessions of the days, and when the latest of them began. */
interface Top {
  readonly total: number;
  readonly last: string;
}
/** `user_id` is empty for sessions without one. */
export type TopUser = Top & { readonly user: string; readonly user_id: string };
export type TopAsset = Top & { readonly asset: string; readonly asset_id: string };

export interface LatestSession {
  readonly id: string;
  readonly user: string;
  readonly asset: string;
  readonly is_finished: boolean;
  readonly date_start: string;
  /** How long ago it began, in words of the caller's language. */
  readonly timesince: string;
}

/** GET index/: what was asked for. Days are those of the installation's time zone. */
export interface DashboardIndex {
  readonly total_count_users?: number;
  readonly total_count_assets?: number;
  readonly total_count_online_users?: number;
  readonly total_count_online_sessions?: number;
  /** The days that the numbers below are of; with any of them. */
  readonly dates_range?: DateRange;
  /** `MM-DD`, the oldest first; the next four have a number, or the bounds, for each. */
  readonly dates_metrics_date?: readonly string[];
  readonly dates_metrics_total_count_login?: readonly number[];
  readonly dates_metrics_total_count_active_users?: readonly number[];
  readonly dates_metrics_total_count_active_assets?: readonly number[];
  readonly dates_metrics_range?: readonly (DateRange & { readonly date: string })[];
  /** Users of the organization who had a session, all others, and those who are disabled, whether they had one or not. */
  readonly dates_total_count_active_users?: number;
  readonly dates_total_count_inactive_users?: number;
  readonly dates_total_count_disabled_users?: number;
  /** Both disabled and active. */
  readonly dates_total_count_disabled_active_users?: number;
  readonly dates_total_count_active_assets?: number;
  readonly dates_total_count_inactive_assets?: number;
  readonly dates_total_count_disabled_assets?: number;
  readonly dates_total_count_disabled_active_assets?: number;
  /** Different users who had a session, those who are gone included; and the sessions. */
  readonly dates_total_count_login_users?: number;
  readonly dates_total_count_login_times?: number;
  readonly dates_login_times_top5_users?: readonly Pick<TopUser, 'user' | 'total'>[];
  readonly dates_login_times_top10_users?: readonly TopUser[];
  readonly dates_login_times_top10_assets?: readonly TopAsset[];
  readonly dates_login_record_top10_sessions?: readonly LatestSession[];
}
