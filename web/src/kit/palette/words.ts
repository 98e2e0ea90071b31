import { catalogue } from '../i18n/index.ts';

export const words = catalogue({
  nothing: { zh: '没有匹配的结果', en: 'No matches' },
  searching: { zh: '正在搜索…', en: 'Searching…' },
  failed: { zh: '搜索失败，请重试', en: 'The search failed. Try again' },
  move: { zh: '移动', en: 'Move' },
  open: { zh: '打开', en: 'Open' },
  connect: { zh: '连接', en: 'Connect' },
  actions: { zh: '操作', en: 'Actions' },
  back: { zh: '返回', en: 'Back' },
  close: { zh: '关闭', en: 'Close' },
});
