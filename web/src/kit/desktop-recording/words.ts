import { catalogue } from '../i18n/index.ts';

export const words = catalogue({
  pictureOf: { zh: '{name} 的桌面画面', en: 'Picture of the desktop of {name}' },
});
