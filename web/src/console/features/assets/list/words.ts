import { catalogue } from '../../../../kit/i18n/index.ts';

/** The words of the list of assets. */
export const words = catalogue({
  labelSearch: { zh: '标签（名称:值）', en: 'Label (name:value)' },
  listHint: {
    zh: '选择节点以查看其资产。点击节点的“⋯”或右键，可以创建、重命名或移动节点。',
    en: 'Choose a node to see its assets. Use its menu to add, rename or move nodes.',
  },
  emptyAssets: {
    zh: '从第一台服务器开始：填写主机名和 IP，然后为它授权。',
    en: 'Add your first server, then grant people access to it.',
  },
});
