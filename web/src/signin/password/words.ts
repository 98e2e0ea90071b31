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
  welcomeTo: { zh: '欢迎，{name}', en: 'Welcome, {name}' },
  invitedBy: { zh: '{by} 邀请您使用 {product}。', en: '{by} invites you to {product}.' },
  ofOrganizations: { zh: '组织', en: 'Organization' },
  yourUsername: { zh: '您的用户名', en: 'Your username' },
  youReach: { zh: '可访问', en: 'You can reach' },
  andMore: { zh: '{names}，另有 {count} 项', en: '{names} and {count} more' },
  nothingYet: {
    zh: '尚未授权，可在登录后申请',
    en: 'Nothing yet. You can request access after signing in.',
  },
  accessUntil: { zh: '截止', en: 'Until' },
  noEnd: { zh: '没有截止时间', en: 'No end date' },
  consent: {
    zh: '您在这里的会话会被录像和审计。设置密码即表示同意。',
    en: 'Your sessions here are recorded and audited. By setting a password you agree to this.',
  },
  joinSubmit: { zh: '设置密码并登录', en: 'Set password and sign in' },
  passkeyOffer: { zh: '下次免密码登录？', en: 'Sign in without the password next time?' },
  passkeyOfferHint: {
    zh: '通行密钥使用本设备的指纹、面容或 PIN。您也可以以后在个人信息中添加。',
    en: 'A passkey uses the fingerprint, face or PIN of this device. You can also add one later in your profile.',
  },
  notNow: { zh: '暂不', en: 'Not now' },
  linkUsedHint: {
    zh: '邀请链接只能使用一次，并且会过期。如果您已设置密码，请登录；否则请向邀请您的人索取新链接。',
    en: 'An invitation link works once and expires. If you have set a password, sign in. Otherwise ask the person who invited you for a new link.',
  },
  linkUsed: { zh: '邀请链接无效', en: 'The invitation link is not valid' },
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
