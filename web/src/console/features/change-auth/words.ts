import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  basic: { zh: '基本', en: 'Basic' },
  asset: { zh: '资产', en: 'Asset' },
  strategy: { zh: '密码和密钥', en: 'Password and key' },
  other: { zh: '其他', en: 'Other' },
  hint: {
    zh: '在多台服务器上更改同一账号的密码或密钥。新的密码或密钥通过登录验证后才会保留，否则恢复原有的。',
    en: 'Plans change the password or the key of an account on many servers. A sign-in tests each new one; if it fails, the old one is restored.',
  },
  execute: { zh: '执行', en: 'Execute' },
  executeNow: { zh: '手动执行计划', en: 'Manual execute plan' },
  detail: { zh: '基本信息', en: 'Basic info' },
  assetAndNode: { zh: '资产和节点', en: 'Asset and node' },
  executions: { zh: '执行列表', en: 'Execution list' },
  tasks: { zh: '任务列表', en: 'Task list' },
  assets: { zh: '资产', en: 'Assets' },
  nodes: { zh: '节点', en: 'Nodes' },
  allAssets: {
    zh: '计划涉及的全部资产（包括节点下的资产）',
    en: 'All assets of the plan, those below its nodes included',
  },
  takeOut: { zh: '移出计划', en: 'Take out of the plan' },
  ofNode: { zh: '该资产属于计划中的节点', en: 'It belongs to a node of the plan' },
  log: { zh: '日志', en: 'Log' },
  retry: { zh: '重试', en: 'Retry' },
  result: { zh: '成功/失败/总数', en: 'Succeeded / failed / total' },
  seconds: { zh: '{seconds} 秒', en: '{seconds} s' },
  look: { zh: '需要处理', en: 'Needs attention' },
  askTitle: { zh: '立即改密？', en: 'Change passwords now?' },
  ask: {
    zh: '将在 {count, number} 个直接选择的资产以及 {nodes, number} 个节点下的资产上更改 {name} 的密码或密钥。',
    en: 'The password or key of {name} will be changed on {count, plural, one {# asset} other {# assets}} and on those below {nodes, plural, one {# node} other {# nodes}}.',
  },
});
