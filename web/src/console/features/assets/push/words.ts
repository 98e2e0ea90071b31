import { catalogue } from '../../../../kit/i18n/index.ts';

export const words = catalogue({
  testAccount: { zh: '测试账号可用性', en: 'Test the account on its assets' },
  push: { zh: '推送系统用户', en: 'Push system user now' },
  check: { zh: '试运行推送', en: 'Dry run of the push' },
  checkHint: {
    zh: '登录每台服务器并列出推送将更改的内容，不作任何更改',
    en: 'Signs in to each server and lists what a push would change; nothing is changed',
  },
  pushAgain: { zh: '推送', en: 'Push' },
  pushFailed: { zh: '重新推送失败的账号', en: 'Push failed ones again' },
  pushIsOff: { zh: '请先开启自动推送', en: 'Auto push is off' },
  autoPushHint: {
    zh: '在授权规则涉及的资产上创建并保持该账号',
    en: 'Creates and keeps the account on its assets',
  },
  pushes: { zh: '推送结果', en: 'Push results' },
  pushHint: {
    zh: '将系统用户绑定到资产或节点的授权规则后，账号会自动推送到服务器',
    en: 'The account is pushed as soon as a permission gives it on assets or nodes',
  },
});
