import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  progress: { zh: '进度', en: 'Progress' },
  progressOf: { zh: '{done, number} / {total, number}', en: '{done, number} of {total, number}' },
  log: { zh: '日志', en: 'Log' },
  zone: { zh: '时间为 {zone}', en: 'Times are in {zone}' },
  emptyLog: { zh: '暂无日志', en: 'The log is empty.' },
  cancel: { zh: '取消任务', en: 'Cancel the job' },
  cancelQuestion: { zh: '取消任务“{title}”？', en: 'Cancel the job "{title}"?' },
  canceled: { zh: '任务已取消', en: 'Job canceled' },
  retry: { zh: '重新运行', en: 'Run again' },
  detail: { zh: '任务详情', en: 'Job' },
  server: { zh: '系统', en: 'Server' },
  reasons: { zh: '原因', en: 'Reasons' },
  hostsFailed: {
    zh: '{count, number} 台主机失败',
    en: '{count, plural, one {# host failed} other {# hosts failed}}',
  },
  hostsSkipped: {
    zh: '跳过 {count, number} 台主机',
    en: '{count, plural, one {# host skipped} other {# hosts skipped}}',
  },
  moreHosts: { zh: '还有 {count, number} 台', en: 'and {count, number} more' },
  mend: { zh: '{act}：', en: '{act}:' },
  mendAdminUser: { zh: '选择管理用户', en: 'Choose an admin user' },
  mendSystemUser: { zh: '检查系统用户的凭据', en: 'Check the system user' },
  mendCredentials: { zh: '检查账号的密码或密钥', en: 'Check the password or key' },
  mendHostKey: { zh: '核对主机密钥', en: 'Review the host key' },
  mendAddress: { zh: '检查地址和端口', en: 'Check address and port' },
  go: { zh: '执行', en: 'Run' },
});
