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
  startedBy: { zh: '发起人：{name}', en: 'Started by {name}' },
  took: { zh: '用时 {duration}', en: 'took {duration}' },
  attempt: { zh: '第 {attempt, number} 次尝试', en: 'attempt {attempt, number}' },
  lines: {
    zh: '{count, number} 行',
    en: '{count, plural, one {# line} other {# lines}}',
  },
  byServer: { zh: '各服务器的结果', en: 'Results by server' },
  waits: { zh: '等待空闲的任务服务器。', en: 'It waits for a free job server.' },
  doneOf: {
    zh: '已完成 {done, number} / {total, number}。',
    en: '{done, number} of {total, number} done.',
  },
  noObjects: { zh: '没有对象。', en: 'No objects matched.' },
  allSucceeded: {
    zh: '{count, number} 项全部成功',
    en: '{count, plural, one {1 object succeeded} other {All # objects succeeded}}',
  },
  allFailed: {
    zh: '{count, number} 项全部失败',
    en: '{count, plural, one {1 object failed} other {All # objects failed}}',
  },
  allSkipped: {
    zh: '{count, number} 项全部跳过',
    en: '{count, plural, one {1 object was skipped} other {All # objects were skipped}}',
  },
  allLeft: {
    zh: '{count, number} 项未处理',
    en: '{count, plural, one {1 object was not reached} other {# objects were not reached}}',
  },
  failedOf: {
    zh: '{total, number} 项中 {count, number} 项失败',
    en: '{count, number} of {total, number} failed',
  },
  succeededOf: {
    zh: '{total, number} 项中 {count, number} 项成功',
    en: '{count, number} of {total, number} succeeded',
  },
  skippedOf: {
    zh: '{total, number} 项中跳过 {count, number} 项',
    en: '{count, number} of {total, number} were skipped',
  },
  leftOf: {
    zh: '{total, number} 项中 {count, number} 项未处理',
    en: '{count, number} of {total, number} were not reached',
  },
  failedToo: { zh: '{count, number} 项失败', en: '{count, number} failed' },
  succeededToo: { zh: '{count, number} 项成功', en: '{count, number} succeeded' },
  skippedToo: { zh: '跳过 {count, number} 项', en: '{count, number} skipped' },
  leftToo: { zh: '{count, number} 项未处理', en: '{count, number} not reached' },
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
});

/** Words for tasks on assets and their results. */
export const taskWords = catalogue({
  reachable: { zh: '可连接', en: 'Reachable' },
  unreachable: { zh: '不可连接', en: 'Unreachable' },
  unknown: { zh: '未知', en: 'Unknown' },
  signedIn: { zh: '已登录', en: 'Signed in' },
  notSignedIn: { zh: '登录被拒绝', en: 'Sign-in refused' },
  runsCommands: { zh: '可执行命令', en: 'runs commands' },
  runsNoCommands: { zh: '不能执行命令', en: 'runs no commands' },
  servesFiles: { zh: '可传输文件', en: 'serves files' },
  servesNoFiles: { zh: '不能传输文件', en: 'serves no files' },
  connectivity: { zh: '可连接', en: 'Connectivity' },
  test: { zh: '测试资产可连接性', en: 'Test connectivity' },
  refresh: { zh: '更新硬件信息', en: 'Refresh hardware info' },
  run: { zh: '执行', en: 'Run' },
});
