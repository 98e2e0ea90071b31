/** Log texts of the jobs. */
export const words = {
  test: { en: 'Test asset connectivity', zh: '测试资产可连接性' },
  testAll: { en: 'Test connectivity of all assets', zh: '测试全部资产可连接性' },
  hardware: { en: 'Refresh asset hardware info', zh: '更新资产硬件信息' },
  reachable: {
    en: '{name}: reachable ({milliseconds} ms)',
    zh: '{name}：可连接（{milliseconds} 毫秒）',
  },
  testSystemUser: { en: 'Test a system user', zh: '测试系统用户' },
  answered: {
    en: '{name}: the port answers, no account tested ({milliseconds} ms)',
    zh: '{name}：端口响应正常，未测试账号（{milliseconds} 毫秒）',
  },
  accepted: {
    en: '{name}: account accepted ({milliseconds} ms)',
    zh: '{name}：账号可用（{milliseconds} 毫秒）',
  },
  acceptedFor: {
    en: '{name}: account accepted, {services} ({milliseconds} ms)',
    zh: '{name}：账号可用，{services}（{milliseconds} 毫秒）',
  },
  runsCommands: { en: 'runs commands', zh: '可执行命令' },
  runsNoCommands: { en: 'runs no commands', zh: '不能执行命令' },
  servesFiles: { en: 'serves files', zh: '可传输文件' },
  servesNoFiles: { en: 'serves no files', zh: '不能传输文件' },
  read: {
    en: '{name}: refreshed ({milliseconds} ms)',
    zh: '{name}：已更新（{milliseconds} 毫秒）',
  },
  failed: { en: '{name}: {reason}', zh: '{name}：{reason}' },
  skipped: { en: '{name} skipped: {reason}', zh: '已跳过 {name}：{reason}' },
  summary: {
    en: '{done, number} succeeded, {failed, number} failed, {skipped, number} skipped.',
    zh: '成功 {done, number}，失败 {failed, number}，跳过 {skipped, number}。',
  },
} as const;
