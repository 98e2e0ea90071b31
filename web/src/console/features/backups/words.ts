import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  drills: { zh: '恢复演练', en: 'Restore drills' },
  drillHint: {
    zh: '将最新备份恢复到独立数据库，校验数据行、审计日志、密钥数据和录像后删除该数据库。',
    en: 'A drill restores the newest backup into a separate database, verifies rows, audit logs, secrets and recordings, and drops it.',
  },
  everyDays: {
    zh: '每 {count} 天自动执行一次。',
    en: 'Runs {count, plural, one {every day} other {every # days}}.',
  },
  onRequest: { zh: '仅手动执行。', en: 'Runs only on request.' },
  start: { zh: '立即演练', en: 'Start a drill' },
  started: { zh: '恢复演练已开始', en: 'The drill has started' },
  noDrills: { zh: '还没有恢复演练', en: 'No drill has run yet' },
  passed: { zh: '通过', en: 'Passed' },
  failed: { zh: '未通过', en: 'Failed' },
  running: { zh: '进行中', en: 'Running' },
  facts: {
    zh: '备份时间 {date} · {tables, number} 张表，{rows, number} 行，{recordings, number} 个录像，{secrets, number} 个密钥数据',
    en: 'Backup of {date} · {tables, number} tables, {rows, number} rows, {recordings, number} recordings, {secrets, number} secrets',
  },
  bySchedule: { zh: '计划任务', en: 'by schedule' },
  backups: { zh: '备份', en: 'Backups' },
  backupHint: {
    zh: '备份由命令创建，参见运维指南。',
    en: 'A command makes backups; see the operator guide.',
  },
  noBackups: { zh: '还没有备份', en: 'No backup was made yet' },
  withKeys: { zh: '含密钥文件', en: 'keys written' },
  withoutKeys: { zh: '不含密钥文件', en: 'without keys' },
  withRecordings: {
    zh: '{count, number} 个录像',
    en: '{count, plural, one {# recording} other {# recordings}}',
  },
  withoutRecordings: { zh: '不含录像', en: 'without recordings' },
});
