import type { ClusterPageKind, LocalText } from '@sallyport/contract';
import { catalogue } from '../../../../kit/i18n/index.ts';

export const words = catalogue({
  connecting: {
    zh: '正在连接集群…如需审批，将等待审批人处理。',
    en: 'Connecting to the cluster … If an approval is needed, this waits for the reviewers.',
  },
  account: { zh: '系统用户', en: 'System user' },
  namespace: { zh: '命名空间', en: 'Namespace' },
  allNamespaces: { zh: '所有命名空间', en: 'All namespaces' },
  namespaceHelp: { zh: '输入名称后按回车', en: 'Type a name and press Enter' },
  kind: { zh: '类型', en: 'Kind' },
  refresh: { zh: '刷新', en: 'Refresh' },
  name: { zh: '名称', en: 'Name' },
  age: { zh: '创建时间', en: 'Created' },
  none: { zh: '没有 {kind}。', en: 'No {kind} here.' },
  more: { zh: '加载更多', en: 'Load more' },
  reconnect: { zh: '重新连接', en: 'Connect again' },
  containers: { zh: '容器', en: 'Containers' },
  container: { zh: '容器', en: 'Container' },
  init: { zh: '初始化容器', en: 'Init container' },
  ephemeral: { zh: '临时容器', en: 'Ephemeral container' },
  restarts: {
    zh: '重启 {count, number} 次',
    en: '{count, plural, one {# restart} other {# restarts}}',
  },
  shell: { zh: 'Shell', en: 'Shell' },
  terminal: { zh: '终端', en: 'Terminal' },
  terminalIn: { zh: '在 {name} 中打开终端', en: 'Open a terminal in {name}' },
  notRunning: { zh: '容器未运行', en: 'The container is not running' },
  log: { zh: '日志', en: 'Log' },
  logOf: { zh: '{name} 的日志', en: 'Log of {name}' },
  lines: {
    zh: '最近 {count, number} 行',
    en: '{count, plural, one {Last line} other {Last # lines}}',
  },
  follow: { zh: '跟踪', en: 'Follow' },
  previous: { zh: '上次运行', en: 'Previous run' },
  emptyLog: { zh: '日志为空。', en: 'The log is empty.' },
  logEnded: { zh: '日志已结束。', en: 'The log has ended.' },
  yaml: { zh: 'YAML', en: 'YAML' },
  masked: { zh: 'Secret 的值已隐藏。', en: 'The values of the Secret are hidden.' },
});

/** Names of the kinds of objects. */
export const KINDS: Readonly<Record<ClusterPageKind, LocalText>> = catalogue({
  pods: { zh: 'Pod', en: 'Pods' },
  deployments: { zh: 'Deployment', en: 'Deployments' },
  statefulsets: { zh: 'StatefulSet', en: 'Stateful sets' },
  daemonsets: { zh: 'DaemonSet', en: 'Daemon sets' },
  jobs: { zh: 'Job', en: 'Jobs' },
  cronjobs: { zh: 'CronJob', en: 'Cron jobs' },
  services: { zh: 'Service', en: 'Services' },
  configmaps: { zh: 'ConfigMap', en: 'Config maps' },
  secrets: { zh: 'Secret', en: 'Secrets' },
});

/** Columns that API servers print, which have English names there. */
export const COLUMNS: Readonly<Record<string, LocalText>> = catalogue({
  Ready: { zh: '就绪', en: 'Ready' },
  Status: { zh: '状态', en: 'Status' },
  Restarts: { zh: '重启次数', en: 'Restarts' },
  'Up-to-date': { zh: '已更新', en: 'Up to date' },
  Available: { zh: '可用', en: 'Available' },
  Desired: { zh: '期望', en: 'Desired' },
  Current: { zh: '当前', en: 'Current' },
  Completions: { zh: '完成', en: 'Completions' },
  Duration: { zh: '用时', en: 'Duration' },
  Schedule: { zh: '计划', en: 'Schedule' },
  Suspend: { zh: '暂停', en: 'Suspended' },
  Active: { zh: '运行中', en: 'Active' },
  Type: { zh: '类型', en: 'Type' },
  Data: { zh: '数据项', en: 'Entries' },
});
