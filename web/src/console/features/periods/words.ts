import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  timer: { zh: '定时执行', en: 'Timer' },
  next: { zh: '接下来将在以下时间执行', en: 'Next runs' },
});
