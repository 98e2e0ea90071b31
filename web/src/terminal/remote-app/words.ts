import { catalogue } from '../../kit/i18n/index.ts';

/** Words of the window of a remote app. */
export const words = catalogue({
  title: { en: 'Remote app', zh: '远程应用' },
  notGranted: { en: 'You have no access to this remote app', zh: '您没有该远程应用的授权' },
  toApps: { en: 'My remote apps', zh: '我的远程应用' },
  label: { en: 'Window of {name}', zh: '{name} 的窗口' },
});
