export const words = {
  title: { zh: '关联的外部身份', en: 'Linked identities' },
  linked: { zh: '关联于 {date}', en: 'linked {date}' },
  used: { zh: '最近登录 {date}', en: 'last sign-in {date}' },
  end: { zh: '解除关联', en: 'Unlink' },
  ended: { zh: '已解除关联', en: 'Identity unlinked' },
  only: {
    zh: '这是您唯一的登录方式。如需解除关联，请联系管理员。',
    en: 'This is your only way to sign in. An administrator can unlink it and set up another.',
  },
  ownQuestion: {
    zh: '确定解除与“{issuer}”的关联？您将不能再通过它登录，其他设备上的登录会被注销。',
    en: 'Unlink your identity at “{issuer}”? You can no longer sign in with it, and your other devices are signed out.',
  },
  endTitle: { zh: '解除关联：{name}', en: 'Unlink the identity of {name}' },
  follows: {
    zh: '该用户不能再通过“{issuer}”登录。',
    en: 'The user can no longer sign in at “{issuer}”.',
  },
  endsSignIns: {
    zh: '注销 {count} 个登录',
    en: '{count, plural, one {# sign-in ends} other {# sign-ins end}}',
  },
  endsKeys: {
    zh: '撤销 {count} 个访问密钥',
    en: '{count, plural, one {# access key is revoked} other {# access keys are revoked}}',
  },
  endsSessions: {
    zh: '断开 {count} 个会话',
    en: '{count, plural, one {# open session ends} other {# open sessions end}}',
  },
  becomesLocal: {
    zh: '这是唯一的登录方式，因此该账号将变为本地账号。请选择用户之后如何登录：',
    en: 'This is the only way to sign in, so the account becomes a local account. Choose how the user signs in from now on:',
  },
  link: { zh: '发送设置密码的链接到 {email}', en: 'Email a setup link to {email}' },
  password: { zh: '设置密码', en: 'Set a password' },
  passwordHint: {
    zh: '用户下次在浏览器登录时须修改。',
    en: 'The user chooses a new password at the next sign-in with a browser.',
  },
} as const;
