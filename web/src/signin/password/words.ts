import { catalogue } from '../../kit/i18n/index.ts';

export const words = catalogue({
  forgotHint: {
    zh: '输入账号的邮箱，我们会发送重置密码的链接。',
    en: 'Enter the email address of your account. We send a link to choose a new password.',
  },
  email: { zh: '邮箱', en: 'Email' },
  emailShape: { zh: '请输入有效的邮箱地址', en: 'Enter a valid email address' },
  send: { zh: '发送链接', en: 'Send the link' },
  sentTitle: { zh: '请查收邮件', en: 'Check your inbox' },
  backToSignIn: { zh: '返回登录', en: 'Back to the sign-in page' },
  resetHint: {
    zh: '设置后，您在所有设备上的登录都会被注销。',
    en: 'This signs you out on all devices.',
  },
  resetSubmit: { zh: '重置密码', en: 'Set password' },
  resetDone: { zh: '密码已重置', en: 'The password is set' },
  resetDoneHint: { zh: '请使用新密码登录。', en: 'Sign in with the new password now.' },
  linkBroken: { zh: '链接不完整', en: 'The link is incomplete' },
  linkBrokenHint: {
    zh: '请从邮件中完整打开链接，或重新申请。',
    en: 'Open the link in the mail again, or request a new one.',
  },
  askAgain: { zh: '重新申请链接', en: 'Request a new link' },
});
