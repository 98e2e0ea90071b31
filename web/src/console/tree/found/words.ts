import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  noneFound: { zh: '没有符合的节点', en: 'No nodes match' },
  firstFound: {
    zh: '最多显示 {count, number} 个符合的节点，请输入更多文字。',
    en: 'The first {count, plural, one {# match is} other {# matches are}} shown. Type more to narrow them.',
  },
  failed: { zh: '节点树加载失败', en: 'The tree could not be loaded' },
});
