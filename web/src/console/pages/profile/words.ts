import { catalogue } from '../../../kit/i18n/index.ts';

/** The words of the pages about oneself. */
export const words = catalogue({
  basicInfo: { zh: '基本信息', en: 'Basic info' },
  setting: { zh: '个人信息设置', en: 'Profile setting' },
  password: { zh: '登录密码设置', en: 'Login password setting' },
  account: { zh: '账户', en: 'Account' },
  other: { zh: '其它', en: 'Other' },
  authentication: { zh: '认证', en: 'Authentication' },
  oldPassword: { zh: '原密码', en: 'Old password' },
  newPassword: { zh: '新密码', en: 'New password' },
  newPasswordAgain: { zh: '确认新密码', en: 'New password again' },
  passwordMismatch: { zh: '两次输入的密码不一致', en: 'The two passwords differ' },
  passwordHint: { zh: '修改后，您在其它地方的登录将被注销。', en: 'Your other sign-ins end when you change it.' },
  sshKey: { zh: 'SSH公钥', en: 'SSHKey' },
  improve: { zh: '完善个人信息', en: 'Improve personal information' },
  improveHint: { zh: '首次登录，请完善您的个人信息。', en: 'This is your first sign-in. Please complete your profile.' },
  terms: { zh: '条款和条件', en: 'Terms and conditions' },
  agree: { zh: '我同意：我的会话将被录像和审计', en: 'I agree: my sessions are recorded and audited' },
  guide: { zh: '向导', en: 'Guide' },
  guideDone: { zh: '一切就绪', en: 'All set' },
  guideText: { zh: '您可以开始使用了。', en: 'You can begin.' },
  guideLink: { zh: '查看使用指南', en: 'Read the guide' },
  start: { zh: '开始使用', en: 'Begin' },
});
