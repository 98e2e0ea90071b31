import { catalogue } from '../i18n/index.ts';

export const words = catalogue({
  input: { zh: '终端输入', en: 'Terminal input' },
  tooMuch: {
    zh: '输出太多，无法朗读，请手动浏览各行',
    en: 'Too much output to announce, navigate to rows manually to read',
  },
});
