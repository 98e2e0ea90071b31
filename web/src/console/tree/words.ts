import { catalogue } from '../../kit/i18n/index.ts';

export const words = catalogue({
  filter: { zh: '按名称筛选节点', en: 'Filter nodes' },
  width: { zh: '节点树宽度', en: 'Width of the tree' },
  tree: { zh: '节点树', en: 'Node tree' },
  removeAssets: { zh: '从节点移除', en: 'Remove from node' },
  menuOf: { zh: '{name} 的菜单', en: 'Menu of {name}' },
  expand: { zh: '展开 {name}', en: 'Expand {name}' },
  collapse: { zh: '收起 {name}', en: 'Collapse {name}' },
  newName: { zh: '节点名称', en: 'Name of the node' },
  moveTo: { zh: '移动到节点…', en: 'Move to node…' },
  addTo: { zh: '添加到节点…', en: 'Add to node…' },
  node: { zh: '节点：{name}', en: 'Node: {name}' },
  oneNode: { zh: '已选节点', en: 'Chosen node' },
  allNodes: { zh: '全部节点', en: 'All nodes' },
  hideTree: { zh: '隐藏节点树', en: 'Hide the tree' },
  noneFound: { zh: '没有符合的节点', en: 'No nodes match' },
  firstFound: {
    zh: '最多显示 {count, number} 个符合的节点，请输入更多文字。',
    en: 'Showing the first {count, plural, one {# match} other {# matches}}. Type more to narrow the results.',
  },
  treeFailed: { zh: '节点树加载失败', en: 'The tree could not be loaded' },
  showTree: { zh: '显示节点树', en: 'Show the tree' },
});
