import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  whichAccount: { zh: '哪个账号', en: 'Which account' },
  where: { zh: '在哪些服务器', en: 'Where' },
  how: { zh: '如何更改', en: 'How' },
  when: { zh: '何时执行', en: 'When' },
  onceNow: { zh: '立即执行一次', en: 'Once now' },
  onDemand: { zh: '手动执行', en: 'On demand' },
  repeated: { zh: '定期执行', en: 'Repeatedly' },
  nameHelp: {
    zh: '留空则使用账号和时间。',
    en: 'Defaults to the account and the time.',
  },
  knownOn: {
    zh: '{count, number} 台服务器',
    en: '{count, plural, one {# server} other {# servers}}',
  },
  check: { zh: '预检', en: 'Pre-check' },
  noServers: { zh: '尚未选择服务器', en: 'No server selected yet' },
  allReady: {
    zh: '{count, number} 台服务器均可改密',
    en: '{count, plural, one {# server is ready} other {All # servers are ready}}',
  },
  someReady: {
    zh: '{count, number} 台服务器中 {ready, number} 台可改密',
    en: '{ready, number} of {count, plural, one {# server} other {# servers}} ready',
  },
  ready: { zh: '可改密，已知该账号', en: 'Ready, the account is known here' },
  readyUnknown: {
    zh: '可改密，首次使用时才能确认账号存在',
    en: 'Ready, but the account was not seen here yet',
  },
  onlyFirst: {
    zh: '仅预检前 {count, number} 台服务器。',
    en: 'Servers after the first {count, number} are not checked.',
  },
  showAllHosts: { zh: '显示全部 {count, number} 台', en: 'Show all {count, number}' },
  addOthers: {
    zh: '添加其他 {count, number} 台有 {name} 的服务器',
    en: 'Add {count, plural, one {the other server} other {# more servers}} with {name}',
  },
  hint: {
    zh: '改密计划在多台服务器上更改同一账号的密码或密钥。新密码或密钥通过登录验证后才会保留，否则恢复原值。',
    en: 'A plan changes the password or key of one account on many servers. Sallyport tests each new secret with a sign-in and restores the old one if the test fails.',
  },
  execute: { zh: '执行', en: 'Run' },
  executeNow: { zh: '立即执行', en: 'Run now' },
  assetAndNode: { zh: '资产和节点', en: 'Assets and nodes' },
  executions: { zh: '执行列表', en: 'Runs' },
  assets: { zh: '资产', en: 'Assets' },
  nodes: { zh: '节点', en: 'Nodes' },
  allAssets: {
    zh: '计划涉及的全部资产（包括节点下的资产）',
    en: 'All assets of the plan, including assets of its nodes',
  },
  takeOut: { zh: '移出计划', en: 'Remove from plan' },
  ofNode: { zh: '该资产属于计划中的节点', en: 'This asset belongs to a node of the plan' },
  log: { zh: '日志', en: 'Log' },
  retry: { zh: '重试', en: 'Retry' },
  servers: { zh: '服务器', en: 'Servers' },
  seconds: { zh: '{seconds} 秒', en: '{seconds} s' },
  look: { zh: '需要处理', en: 'Needs attention' },
  askTitle: { zh: '立即改密？', en: 'Change passwords now?' },
  ask: {
    zh: '将在 {count, number} 个直接选择的资产以及 {nodes, number} 个节点下的资产上更改 {name} 的密码或密钥。',
    en: 'Sallyport will change the password or key of {name} on {count, plural, one {# asset} other {# assets}} and on the assets of {nodes, plural, one {# node} other {# nodes}}.',
  },
});
