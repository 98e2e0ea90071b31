import { catalogue } from '../kit/i18n/index.ts';

/** The words of the sign-in and sign-out pages. */
export const words = catalogue({
  title: { zh: '登录', en: 'Sign in' },
  welcome: { zh: '登录到 {product}', en: 'Sign in to {product}' },
  hint: { zh: '使用您的账号继续', en: 'Use your account to continue' },
  username: { zh: '用户名', en: 'Username' },
  password: { zh: '密码', en: 'Password' },
  submit: { zh: '登录', en: 'Sign in' },
  capsLock: { zh: '大写锁定已打开', en: 'Caps Lock is on' },
  showPassword: { zh: '显示密码', en: 'Show password' },
  hidePassword: { zh: '隐藏密码', en: 'Hide password' },
  locked: { zh: '账号已锁定', en: 'Account locked' },
  askAdministrator: {
    zh: '忘记密码？请联系管理员重置。',
    en: 'Forgot your password? Ask an administrator for a new one.',
  },
  signedIn: { zh: '您已登录为 {name}。', en: 'You are signed in as {name}.' },
  refused: { zh: '登录失败', en: 'Sign-in failed' },
  or: { zh: '或', en: 'or' },
  withProvider: { zh: '使用 {name} 登录', en: 'Sign in with {name}' },
  withPasskey: { zh: '使用通行密钥登录', en: 'Sign in with a passkey' },
  forgotten: { zh: '忘记密码？', en: 'Forgot your password?' },
  goOn: { zh: '继续', en: 'Continue' },
  forgotTitle: { zh: '忘记密码', en: 'Forgotten password' },
  resetTitle: { zh: '重置密码', en: 'Choose a new password' },
  motto: { zh: '一道门，一份记录', en: 'One gate, one record' },
  mottoText: {
    zh: '通往每台服务器的受控入口，以及每次操作的完整记录。',
    en: 'The guarded way to every server, and the full record of what was done there.',
  },
  access: { zh: '按授权连接，默认拒绝', en: 'Access by grant, denied by default' },
  record: {
    zh: '会话全程录像，命令可检索',
    en: 'Every session recorded, every command searchable',
  },
  verify: { zh: '主机密钥逐跳校验', en: 'Host keys verified at every hop' },
  signingOut: { zh: '正在退出登录…', en: 'Signing out…' },
  signOutFailed: { zh: '未能退出登录', en: 'Signing out failed' },
});
