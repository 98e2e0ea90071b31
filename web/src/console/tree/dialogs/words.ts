import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  create: { zh: '创建节点', en: 'Create node' },
  rename: { zh: '重命名节点', en: 'Rename node' },
  delete: { zh: '删除节点', en: 'Delete node' },
  addAssets: { zh: '添加资产到节点', en: 'Add assets to node' },
  moveAssets: { zh: '移动资产到节点', en: 'Move assets to node' },
  refreshHardware: { zh: '更新节点下资产的硬件信息', en: 'Refresh hardware info of node assets' },
  testAssets: { zh: '测试节点下资产的可连接性', en: 'Test connectivity of node assets' },
  onlyCurrent: { zh: '仅显示当前节点资产', en: 'Show assets of this node only' },
  allChildren: { zh: '显示所有子节点资产', en: 'Show assets of all child nodes' },
  info: { zh: '显示节点详情', en: 'Show node information' },
  infoTitle: { zh: '节点详情', en: 'Node information' },
  move: {
    zh: '将节点 {source} 移动到 {target} 下？',
    en: 'Move node {source} below {target}?',
  },
  moveNode: { zh: '移动节点', en: 'Move node' },
  moveCount: {
    zh: '移动 {count, number} 个资产',
    en: 'Move {count, plural, one {# asset} other {# assets}}',
  },
  addCount: {
    zh: '添加 {count, number} 个资产',
    en: 'Add {count, plural, one {# asset} other {# assets}}',
  },
  pickNodes: {
    zh: '选择 {count, number} 个节点',
    en: 'Choose {count, plural, one {# node} other {# nodes}}',
  },
  moveHere: { zh: '移动到这里', en: 'Move here' },
  addHere: { zh: '添加到这里', en: 'Add here' },
  dropped: {
    zh: '{count, number} 个资产 → {node}',
    en: '{count, plural, one {# asset} other {# assets}} → {node}',
  },
  moveQuestion: {
    zh: '将 {count, number} 个资产移动到“{node}”？同时移出其他节点。',
    en: 'Move {count, plural, one {# asset} other {# assets}} to “{node}”? This removes them from all other nodes.',
  },
  pickAssets: {
    zh: '选择这 {count, number} 个资产',
    en: 'Choose {count, plural, one {# asset} other {# assets}}',
  },
  addQuestion: {
    zh: '将 {count, number} 个资产添加到“{node}”？',
    en: 'Add {count, plural, one {# asset} other {# assets}} to “{node}”?',
  },
  nodesChosen: {
    zh: '已选 {count, number} 个节点',
    en: '{count, plural, one {# node} other {# nodes}} chosen',
  },
  noneChosen: { zh: '请选择一个节点', en: 'Choose a node' },
  assets: { zh: '资产', en: 'Assets' },
});
