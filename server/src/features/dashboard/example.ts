import type { DashboardIndex } from '@sallyport/contract';
import { exampleId } from '../../http/openapi/examples.ts';

export const EXAMPLE: DashboardIndex = {
  total_count_users: 42,
  total_count_assets: 310,
  total_count_online_users: 3,
  total_count_online_sessions: 4,
  dates_range: { from: '2026-01-25 00:00:00 +0800', to: '2026-01-31 23:59:59 +0800' },
  dates_metrics_date: ['01-31'],
  dates_metrics_total_count_login: [12],
  dates_metrics_total_count_active_users: [5],
  dates_metrics_total_count_active_assets: [7],
  dates_metrics_range: [
    { date: '2026-01-31', from: '2026-01-31 00:00:00 +0800', to: '2026-01-31 23:59:59 +0800' },
  ],
  dates_total_count_active_users: 20,
  dates_total_count_inactive_users: 22,
  dates_total_count_disabled_users: 2,
  dates_total_count_disabled_active_users: 1,
  dates_total_count_active_assets: 60,
  dates_total_count_inactive_assets: 250,
  dates_total_count_disabled_assets: 4,
  dates_total_count_disabled_active_assets: 0,
  dates_total_count_login_users: 20,
  dates_total_count_login_times: 12,
  dates_login_times_top5_users: [{ user: 'Li Wei(li.wei)', total: 9 }],
  dates_login_times_top10_users: [
    {
      user: 'Li Wei(li.wei)',
      user_id: exampleId('user'),
      total: 9,
      last: '2026-01-31 08:30:00 +0800',
    },
  ],
  dates_login_times_top10_assets: [
    {
      asset: 'web-prod-01',
      asset_id: exampleId('asset'),
      total: 4,
      last: '2026-01-31 08:30:00 +0800',
    },
  ],
  dates_login_record_top10_sessions: [
    {
      id: exampleId('session'),
      user: 'Li Wei(li.wei)',
      asset: 'web-prod-01',
      is_finished: false,
      is_emergency: false,
      date_start: '2026-01-31 08:30:00 +0800',
      timesince: '5 minutes ago',
    },
  ],
};
