import { catalogue } from '../../../../kit/i18n/index.ts';

export const words = catalogue({
  labelSearch: { zh: '标签（名称:值）', en: 'Label (name:value)' },
  listHint: {
    zh: '选择节点以查看其资产。点击节点的“⋯”或右键，可以创建、重命名或移动节点。',
    en: 'Choose a node to see its assets. Use its menu to add, rename or move nodes.',
  },
  connect: { zh: '连接', en: 'Connect to' },
  state: { zh: '状态', en: 'Status' },
  disabled: { zh: '已禁用', en: 'Disabled' },
  active: { zh: '未使用', en: 'Not used yet' },
  reachable: { zh: '连接正常', en: 'Connected' },
  inUse: { zh: '使用中', en: 'In use' },
  sessionFailed: { zh: '上次会话失败', en: 'Last session failed' },
  unreachable: { zh: '无法连接', en: 'Not reachable' },
  keyChanged: { zh: '主机密钥已变更', en: 'Host key changed' },
  keyChangedHint: {
    zh: '资产出示的主机密钥与已固定的不同，需要管理员确认。',
    en: 'It showed another host key than the pinned one. An administrator must decide.',
  },
  keyPinned: { zh: '主机密钥已固定', en: 'Its host key is pinned' },
  keyUnknown: {
    zh: '还没有固定主机密钥，首次连接时固定',
    en: 'No host key is pinned yet. The first connection pins one',
  },
  emptyAssets: {
    zh: '从第一台服务器开始：填写主机名和 IP，然后为它授权。',
    en: 'Add your first server, then grant people access to it.',
  },
});
