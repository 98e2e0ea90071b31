import { catalogue } from '../i18n/index.ts';

export const words = catalogue({
  newVersion: {
    zh: '服务器已升级，重新加载后使用新版本。',
    en: 'The server was upgraded. Reload the page to use the new version.',
  },
});
