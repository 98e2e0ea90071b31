import { catalogue } from '../../../../kit/i18n/index.ts';

/** The words of the statistics of sessions. */
export const words = catalogue({
  statistics: { zh: '会话统计', en: 'Session statistics' },
  period: { zh: '时间段', en: 'Period' },
  week: { zh: '按周', en: 'Week' },
  month: { zh: '按月', en: 'Month' },
  logins: { zh: '登录次数', en: 'Logins' },
  activeUsers: { zh: '活跃用户', en: 'Active users' },
  activeAssets: { zh: '活跃资产', en: 'Active assets' },
  day: { zh: '日期', en: 'Day' },
  chart: {
    zh: '每天的登录次数、活跃用户和活跃资产；用方向键选择日期',
    en: 'Logins, active users and active assets of each day; arrow keys choose a day',
  },
  dayNumbers: {
    zh: '{date}：登录 {logins, number} 次，活跃用户 {users, number} 个，活跃资产 {assets, number} 个',
    en: '{date}: {logins, plural, one {# login} other {# logins}}, {users, plural, one {# active user} other {# active users}}, {assets, plural, one {# active asset} other {# active assets}}',
  },
  total: { zh: '合计', en: 'Total' },
  asTable: { zh: '以表格显示', en: 'Show as a table' },
  table: { zh: '每天的数量', en: 'Numbers of each day' },
  users: { zh: '用户', en: 'Users' },
  assets: { zh: '资产', en: 'Assets' },
  usersUsed: { zh: '近期登录过', en: 'Logged in recently' },
  usersDisabled: { zh: '禁用的', en: 'Disabled' },
  usersUnused: { zh: '近期未登录过', en: 'Not logged in recently' },
  assetsUsed: { zh: '近期被登录过', en: 'Used recently' },
  assetsDisabled: { zh: '禁用的', en: 'Disabled' },
  assetsUnused: { zh: '近期未被登录', en: 'Not used recently' },
  topUsersWeek: { zh: '周用户TOP10', en: 'Top 10 users of the week' },
  topUsersMonth: { zh: '月用户TOP10', en: 'Top 10 users of the month' },
  topAssetsWeek: { zh: '周资产TOP10', en: 'Top 10 assets of the week' },
  topAssetsMonth: { zh: '月资产TOP10', en: 'Top 10 assets of the month' },
  timesWeek: {
    zh: '{count, number} 次/周',
    en: '{count, plural, one {# time} other {# times}} a week',
  },
  timesMonth: {
    zh: '{count, number} 次/月',
    en: '{count, plural, one {# time} other {# times}} a month',
  },
  latest: { zh: '最近10次登录', en: 'Latest 10 sessions' },
  live: { zh: '进行中', en: 'live' },
  nothing: { zh: '暂无数据', en: 'No data' },
  failed: {
    zh: '无法读取统计数据，请稍后再试。',
    en: 'The statistics could not be loaded. Try again later.',
  },
});
