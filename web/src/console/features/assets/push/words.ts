import { catalogue } from '../../../../kit/i18n/index.ts';

export const words = catalogue({
  testAccount: { zh: '测试账号可用性', en: 'Test the account on its assets' },
  push: { zh: '推送系统用户', en: 'Push system user now' },
  check: { zh: '试运行推送', en: 'Dry run of the push' },
  checkHint: {
    zh: '登录每台服务器，列出推送将作的更改，不实际更改',
    en: 'Signs in to each server and lists the changes a push would make, without making them',
  },
  pushAgain: { zh: '推送', en: 'Push' },
  pushFailed: { zh: '重新推送失败的账号', en: 'Retry failed pushes' },
  pushIsOff: { zh: '请先开启自动推送', en: 'Auto push is off' },
  autoPushHint: {
    zh: '在授权的资产上创建该账号，并与此处的设置保持一致',
    en: 'Creates this account on granted assets and keeps it in sync',
  },
  pushes: { zh: '推送结果', en: 'Push results' },
  pushHint: {
    zh: '系统用户加入资产或节点的授权后，自动推送到服务器',
    en: 'Sallyport pushes the account as soon as a permission grants it on assets or nodes',
  },
});
