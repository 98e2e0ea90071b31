import { catalogue } from '../i18n/language.ts';

export const words = catalogue({
  mark: { zh: '紧急', en: 'Emergency' },
  live: { zh: '进行中', en: 'Live' },
  hint: {
    zh: '紧急访问会话，须事后复核',
    en: 'Emergency access session, must be reviewed afterwards',
  },
});
