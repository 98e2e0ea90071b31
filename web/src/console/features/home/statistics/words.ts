import { catalogue } from '../../../../kit/i18n/index.ts';

export const words = catalogue({
  statistics: { zh: '会话统计', en: 'Session statistics' },
  period: { zh: '时间段', en: 'Period' },
  week: { zh: '按周', en: 'Week' },
  month: { zh: '按月', en: 'Month' },
  logins: { zh: '登录次数', en: 'Sign-ins' },
  activeUsers: { zh: '活跃用户', en: 'Active users' },
  activeAssets: { zh: '活跃资产', en: 'Active assets' },
  day: { zh: '日期', en: 'Day' },
  chart: {
    zh: '每天的登录次数、活跃用户和活跃资产；用方向键选择日期',
    en: 'Sign-ins, active users and active assets per day. Use the arrow keys to choose a day',
  },
  dayNumbers: {
    zh: '{date}：登录 {logins, number} 次，活跃用户 {users, number} 个，活跃资产 {assets, number} 个',
    en: '{date}: {logins, plural, one {# sign-in} other {# sign-ins}}, {users, plural, one {# active user} other {# active users}}, {assets, plural, one {# active asset} other {# active assets}}',
  },
  total: { zh: '合计', en: 'Total' },
  table: { zh: '每天的数量', en: 'Numbers per day' },
  users: { zh: '用户', en: 'Users' },
  assets: { zh: '资产', en: 'Assets' },
  usersUsed: { zh: '近期登录', en: 'Signed in recently' },
  usersDisabled: { zh: '已禁用', en: 'Disabled' },
  usersUnused: { zh: '近期未登录', en: 'Not signed in recently' },
  assetsUsed: { zh: '近期使用', en: 'Used recently' },
  assetsDisabled: { zh: '已禁用', en: 'Disabled' },
  assetsUnused: { zh: '近期未使用', en: 'Not used recently' },
  topUsersWeek: { zh: '本周用户 Top 10', en: 'Top 10 users this week' },
  topUsersMonth: { zh: '本月用户 Top 10', en: 'Top 10 users this month' },
  topAssetsWeek: { zh: '本周资产 Top 10', en: 'Top 10 assets this week' },
  topAssetsMonth: { zh: '本月资产 Top 10', en: 'Top 10 assets this month' },
  timesWeek: {
    zh: '本周 {count, number} 次',
    en: '{count, plural, one {# session} other {# sessions}} this week',
  },
  timesMonth: {
    zh: '本月 {count, number} 次',
    en: '{count, plural, one {# session} other {# sessions}} this month',
  },
  latest: { zh: '最近 10 个会话', en: 'Latest 10 sessions' },
  live: { zh: '进行中', en: 'live' },
  nothing: { zh: '暂无数据', en: 'No data' },
  failed: {
    zh: '无法读取统计数据，请稍后再试。',
    en: 'The statistics could not be loaded. Try again later.',
  },
});
