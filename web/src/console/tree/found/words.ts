import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  noneFound: { zh: '没有符合的节点', en: 'No nodes match' },
  firstFound: {
    zh: '最多显示 {count, number} 个符合的节点，请输入更多文字。',
    en: 'Showing the first {count, plural, one {# match} other {# matches}}. Type more to narrow the results.',
  },
  failed: { zh: '节点树加载失败', en: 'The tree could not be loaded' },
});
