import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  left: { zh: '剩余 {time}', en: '{time} left' },
  endNow: { zh: '立即结束', en: 'End now' },
  endTitle: { zh: '结束紧急访问？', en: 'End emergency access?' },
  endQuestion: {
    zh: '使用此紧急访问的会话会立即断开，其他授权允许的会话除外。',
    en: 'Sessions that use this emergency access are disconnected immediately, unless another permission allows them.',
  },
  stays: { zh: '其他授权保持会话', en: 'Stays open by another permission' },
  ended: { zh: '紧急访问已结束', en: 'Emergency access ended' },
});
