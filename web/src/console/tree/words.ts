import { catalogue } from '../../kit/i18n/index.ts';

/** The words of the node tree. */
export const words = catalogue({
  tree: { zh: '节点树', en: 'Node tree' },
  create: { zh: '创建节点', en: 'Create node' },
  rename: { zh: '重命名节点', en: 'Rename node' },
  delete: { zh: '删除节点', en: 'Delete node' },
  addAssets: { zh: '添加资产到节点', en: 'Add asset to node' },
  moveAssets: { zh: '移动资产到节点', en: 'Move asset to node' },
  removeAssets: { zh: '从节点移除', en: 'Remove from node' },
  onlyCurrent: { zh: '仅显示当前节点资产', en: 'Show asset only current node' },
  allChildren: { zh: '显示所有子节点资产', en: 'Show asset all children node' },
  info: { zh: '显示节点详情', en: 'Show node information' },
  infoTitle: { zh: '节点详情', en: 'Node information' },
  menuOf: { zh: '{name} 的菜单', en: 'Menu of {name}' },
  expand: { zh: '展开 {name}', en: 'Expand {name}' },
  collapse: { zh: '收起 {name}', en: 'Collapse {name}' },
  newName: { zh: '节点名称', en: 'Name of the node' },
  move: { zh: '您想移动节点: {source} 到 {target} 下吗?', en: 'Do you want to move the node {source} below {target}?' },
  hideTree: { zh: '隐藏节点树', en: 'Hide the tree' },
  showTree: { zh: '显示节点树', en: 'Show the tree' },
  failed: { zh: '节点树加载失败', en: 'The tree could not be loaded' },
  assets: { zh: '资产', en: 'Assets' },
});
