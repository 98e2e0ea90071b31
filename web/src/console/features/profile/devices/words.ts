import { catalogue } from '../../../../kit/i18n/index.ts';

export const words = catalogue({
  intro: {
    zh: '一台设备请求以您的账号登录。仅当您本人刚刚发起登录，且该设备显示相同代码时才确认。',
    en: 'A device asks to sign in with your account. Confirm only if you started this yourself just now and the device shows the same code.',
  },
  enter: {
    zh: '输入设备上显示的代码。',
    en: 'Enter the code that the device shows.',
  },
  code: { zh: '代码', en: 'Code' },
  next: { zh: '继续', en: 'Continue' },
  otherCode: { zh: '输入其他代码', en: 'Enter another code' },
  device: { zh: '设备', en: 'Device' },
  address: { zh: '地址', en: 'Address' },
  began: { zh: '发起时间', en: 'Started' },
  account: { zh: '登录账号', en: 'Account' },
  days: { zh: '保持登录', en: 'Stay signed in for' },
  dayCount: { zh: '{count} 天', en: '{count, plural, one {# day} other {# days}}' },
  confirm: { zh: '确认登录', en: 'Confirm' },
  deny: { zh: '拒绝', en: 'Deny' },
  confirmed: {
    zh: '“{device}”已登录，请返回终端。',
    en: '“{device}” is signed in. Return to its terminal.',
  },
  denied: { zh: '已拒绝“{device}”的登录。', en: 'The sign-in of “{device}” was denied.' },
  toDevices: { zh: '查看登录设备', en: 'Show signed-in devices' },
  sallyctlHint: {
    zh: '一个文件，需要 Node 20 或更高版本。登录后可在终端中连接资产、复制文件、打开数据库、申请和审批权限。',
    en: 'One file for any machine with Node 20 or newer. It connects to assets, copies files, opens databases, and asks for and approves access, from your terminal.',
  },
  download: { zh: '下载', en: 'Download' },
  digest: { zh: 'SHA-256：{digest}', en: 'SHA-256: {digest}' },
});
