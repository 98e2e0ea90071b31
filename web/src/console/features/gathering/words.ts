import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  task: { zh: '任务和节点', en: 'Task and nodes' },
  gatheredHint: {
    zh: '收集任务在资产上发现的账号，包括已不存在的账号。',
    en: 'Accounts that gather tasks found on assets, including accounts that no longer exist.',
  },
  gatheredEmpty: {
    zh: '执行收集任务后，账号将显示在这里。',
    en: 'Accounts appear here after a gather task has run.',
  },
  taskHint: {
    zh: '定时或手动收集节点下所有资产的账号。',
    en: 'Tasks collect the accounts of all assets of their nodes, on a schedule or when you run them.',
  },
  execute: { zh: '执行', en: 'Run' },
  executeNow: { zh: '立即执行', en: 'Run now' },
  executions: { zh: '执行列表', en: 'Runs' },
  results: { zh: '各资产结果', en: 'Results by asset' },
  executionDetail: { zh: '执行详情', en: 'Run detail' },
  log: { zh: '日志', en: 'Log' },
  servers: { zh: '服务器', en: 'Servers' },
  seconds: { zh: '{seconds} 秒', en: '{seconds} s' },
  milliseconds: { zh: '{milliseconds} 毫秒', en: '{milliseconds} ms' },
});
