import { catalogue } from '../i18n/language.ts';

export const words = catalogue({
  live: { zh: '进行中', en: 'Live' },
});
