import { catalogue } from '../i18n/catalogue.ts';

export const words = catalogue({
  mark: { zh: '紧急', en: 'Emergency' },
  live: { zh: '进行中', en: 'Live' },
  hint: {
    zh: '通过紧急访问打开，须事后复核',
    en: 'Opened by emergency access; it has to be reviewed',
  },
});
