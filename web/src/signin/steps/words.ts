import { catalogue } from '../../kit/i18n/index.ts';

export const words = catalogue({
  asUser: { zh: '正在以 {name} 的身份登录', en: 'Signing in as {name}' },
  another: { zh: '使用其他账号登录', en: 'Sign in with another account' },
  challengeTitle: { zh: '还需要回答一个问题', en: 'One more question' },
  challengeHint: {
    zh: '验证密码的服务器提出以下问题：',
    en: 'The server that checks your password asks:',
  },
  answer: { zh: '回答', en: 'Answer' },
  giveAnswer: { zh: '继续', en: 'Continue' },
  noticeTitle: { zh: '请阅读并接受', en: 'Read and accept' },
  noticeHint: {
    zh: '接受后才能继续登录，系统会记录您接受的版本。',
    en: 'The sign-in continues when you accept. The server records the version that you accept.',
  },
  accept: { zh: '接受并继续', en: 'Accept and continue' },
  expiredTitle: { zh: '密码已过期', en: 'Your password has expired' },
  expiredHint: { zh: '请设置新密码后继续登录。', en: 'Choose a new password to continue.' },
  assignedTitle: { zh: '设置您自己的密码', en: 'Choose your own password' },
  assignedHint: {
    zh: '当前密码由管理员设置，请更换后继续登录。',
    en: 'An administrator set the current password. Choose a new password to continue.',
  },
  changePassword: { zh: '更新密码并继续', en: 'Change password and continue' },
  secondTitle: { zh: '双重认证', en: 'Second factor' },
  secondHint: { zh: '请验证是您本人。', en: 'Verify it’s you.' },
  enrolTitle: { zh: '设置双重认证', en: 'Set up a second factor' },
  enrolHint: {
    zh: '您的账号需要双重认证，请选择一种方式。',
    en: 'Your account requires a second factor. Choose one.',
  },
  enrolTotp: { zh: '身份验证器应用', en: 'Authenticator app' },
  enrolTotpHint: {
    zh: '手机应用每 30 秒生成一个验证码',
    en: 'An app on your phone shows a new code every 30 seconds',
  },
  enrolPasskey: { zh: '通行密钥', en: 'Passkey' },
  enrolPasskeyHint: {
    zh: '指纹、面容、PIN 或安全密钥',
    en: 'Fingerprint, face, PIN or a security key',
  },
  createPasskey: { zh: '创建通行密钥', en: 'Create a passkey' },
  myPasskey: { zh: '我的通行密钥', en: 'My passkey' },
  reviewTitle: { zh: '等待登录复核', en: 'Wait for confirmation' },
  reviewHint: {
    zh: '请保持此页面打开。关闭或离开页面将取消登录。',
    en: 'Keep this page open. Closing or leaving it cancels the sign-in.',
  },
  reviewWaits: { zh: '复核人：{names}', en: 'Reviewers: {names}' },
  reviewRejected: { zh: '复核人拒绝了本次登录。', en: 'A reviewer rejected this sign-in.' },
  reviewClosed: {
    zh: '复核工单已关闭，本次登录已结束。',
    en: 'The ticket was closed, so this sign-in has ended.',
  },
  giveUp: { zh: '放弃登录', en: 'Cancel sign-in' },
  again: { zh: '重新登录', en: 'Sign in again' },
  back: { zh: '返回', en: 'Back' },
});
