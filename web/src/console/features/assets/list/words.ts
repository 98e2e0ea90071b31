import { catalogue } from '../../../../kit/i18n/index.ts';

export const words = catalogue({
  runCommand: { zh: '执行命令…', en: 'Run a command…' },
  grant: { zh: '授权…', en: 'Grant…' },
  test: { zh: '测试', en: 'Test' },
  rotate: { zh: '改密…', en: 'Rotate…' },
  label: { zh: '添加标签…', en: 'Label…' },
  labelTitle: {
    zh: '为 {count, number} 个资产添加标签',
    en: 'Label {count, plural, one {# asset} other {# assets}}',
  },
  labelAdd: { zh: '添加', en: 'Add labels' },
  labeled: { zh: '已添加标签', en: 'Labels added' },
  labelSearch: { zh: '标签（名称:值）', en: 'Label (name:value)' },
  listHint: {
    zh: '选择节点以查看其资产。点击节点的“⋯”或右键，可以创建、重命名或移动节点。',
    en: 'Choose a node to see its assets. Open its menu to add, rename or move nodes.',
  },
  connect: { zh: '连接', en: 'Connect' },
  state: { zh: '状态', en: 'Status' },
  disabled: { zh: '已禁用', en: 'Disabled' },
  active: { zh: '未检测', en: 'Not used yet' },
  reachable: { zh: '连接正常', en: 'Connected' },
  inUse: { zh: '使用中', en: 'In use' },
  sessionFailed: { zh: '上次会话失败', en: 'Last session failed' },
  unreachable: { zh: '无法连接', en: 'Unreachable' },
  keyChanged: { zh: '主机密钥已变更', en: 'Host key changed' },
  keyChangedHint: {
    zh: '主机密钥与记录的不一致，需要管理员核对。',
    en: 'The server presented a different host key than the pinned one. An administrator must review it.',
  },
  keyPinned: { zh: '主机密钥已记录', en: 'Host key pinned' },
  keyUnknown: {
    zh: '尚未记录主机密钥，首次连接时记录',
    en: 'No host key pinned yet. The first connection pins it',
  },
  emptyAssets: {
    zh: '添加第一台服务器，然后授权用户访问。',
    en: 'Add your first server, then grant users access to it.',
  },
});
