import { catalogue, t } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  status: { zh: '状态', en: 'Status' },
  on: { zh: '已启用：登录时需要验证', en: 'On: required when you sign in' },
  off: {
    zh: '未启用。建议添加至少一种方式，保护您的账号。',
    en: 'The second factor is off. Add a method to protect your account.',
  },
  forced: { zh: '您的账号必须使用双重认证', en: 'Your account requires a second factor' },
  app: { zh: '身份验证器应用', en: 'Authenticator app' },
  appOn: { zh: '已绑定', en: 'Set up' },
  appOff: { zh: '未绑定', en: 'Not set up' },
  appHint: {
    zh: '手机应用每 30 秒生成一个 6 位验证码。',
    en: 'An app on your phone that shows a new 6-digit code every 30 seconds.',
  },
  setUp: { zh: '绑定', en: 'Set up' },
  replace: { zh: '更换', en: 'Replace' },
  unbind: { zh: '解除绑定', en: 'Remove' },
  unbindQuestion: { zh: '确定解除绑定身份验证器应用？', en: 'Remove the authenticator app?' },
  passkeys: { zh: '通行密钥', en: 'Passkeys' },
  passkeysHint: {
    zh: '使用指纹、面容、PIN 或安全密钥，作为双重认证，或代替密码直接登录。',
    en: 'Your fingerprint, face, PIN or a security key: as a second factor, or to sign in without a password.',
  },
  noPasskeys: { zh: '还没有通行密钥', en: 'No passkeys yet' },
  addPasskey: { zh: '添加通行密钥', en: 'Add a passkey' },
  renamePasskey: { zh: '重命名通行密钥', en: 'Rename the passkey' },
  rename: { zh: '重命名', en: 'Rename' },
  created: { zh: '创建于 {date}', en: 'Created {date}' },
  used: { zh: '最后使用 {date}', en: 'last used {date}' },
  neverUsed: { zh: '未使用过', en: 'never used' },
  synced: { zh: '已同步', en: 'Synced' },
  lastProved: { zh: '最后验证 {date}', en: 'Last verified {date}' },
  codesLeft: { zh: '还剩 {count} 个', en: '{count} left' },
  codesHint: {
    zh: '无法使用上述方式时，用恢复码登录。',
    en: 'Use one when you have no other way to sign in.',
  },
  renew: { zh: '重新生成', en: 'Generate new codes' },
  renewQuestion: {
    zh: '原有的恢复码将全部失效，确定重新生成？',
    en: 'Your old recovery codes will stop working. Generate new ones?',
  },
  proceed: { zh: '继续', en: 'Continue' },
  confirmTitle: { zh: '确认是您本人', en: 'Verify it’s you' },
  confirmPassword: {
    zh: '修改安全设置前，请输入登录密码。',
    en: 'Enter your password before you change your security settings.',
  },
  confirmFactor: {
    zh: '修改安全设置前，请先验证。',
    en: 'Verify your second factor before you change your security settings.',
  },
  password: { zh: '密码', en: 'Password' },
  myPasskey: { zh: '我的通行密钥', en: 'My passkey' },
  done: { zh: '完成', en: 'Done' },
  factorTitle: { zh: '双重认证', en: 'Second factor' },
  factorNeeded: { zh: '请先完成双重认证。', en: 'Confirm with your second factor first.' },
  factorMissing: {
    zh: '此操作需要双重认证，而您尚未设置。请先在个人信息中设置。',
    en: 'This requires a second factor, and you have none yet. Set one up in your profile first.',
  },
  factorSetUp: { zh: '设置双重认证', en: 'Set up a second factor' },
  stateOff: { zh: '关闭', en: 'Off' },
  stateOn: { zh: '开启', en: 'On' },
  stateEnforced: { zh: '强制开启', en: 'Enforced' },
});

/** The second factor of an account: off, on or enforced. */
export const mfaText = (level: number | null) =>
  level === null
    ? ''
    : t([words.stateOff, words.stateOn, words.stateEnforced][level] ?? words.stateOff);
