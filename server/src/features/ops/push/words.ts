/** Log texts of pushes. */
export const words = {
  push: { en: 'Push a system user', zh: '推送系统用户' },
  pushAll: { en: 'Push all system users', zh: '推送全部系统用户' },
  gather: { en: 'Collect system users to push', zh: '收集待推送的系统用户' },
  pushed: {
    en: '{name}: {username} pushed ({changes})',
    zh: '{name}：已推送 {username}（{changes}）',
  },
  failed: {
    en: '{name}: could not push {username}: {reason}',
    zh: '{name}：{username} 推送失败：{reason}',
  },
  skipped: {
    en: '{name}: {username} skipped: {reason}',
    zh: '{name}：已跳过 {username}：{reason}',
  },
  leftOut: {
    en: '{count, plural, one {# account} other {# accounts}} skipped: {reason}',
    zh: '已跳过 {count, number} 个账号：{reason}',
  },
  check: { en: 'Push dry run', zh: '试运行推送' },
  checked: { en: '{name}: {username}: {reason}', zh: '{name}：{username}：{reason}' },
  wouldChange: { en: 'would change: {changes}', zh: '将更改：{changes}' },
  unchanged: { en: 'nothing to change', zh: '无需更改' },
} as const;

/** Reasons to skip accounts. */
export const REASONS = {
  off: { en: 'auto push of the system user is off.', zh: '系统用户未开启自动推送。' },
  manual: { en: 'the system user has manual sign-in.', zh: '系统用户为手动登录。' },
  protocol: { en: 'only ssh and rdp accounts can be pushed.', zh: '仅推送 ssh 和 rdp 系统用户。' },
  root: { en: 'root and administrator are never pushed.', zh: '不推送 root 和 administrator。' },
  adminUser: {
    en: 'this is the admin user of the asset, whose password must not change.',
    zh: '该账号是资产的管理用户，其密码不能被覆盖。',
  },
  secret: { en: 'the system user has no password and no key.', zh: '系统用户没有密码和密钥。' },
  offered: {
    en: 'the asset does not support the protocol of the system user.',
    zh: '资产不支持该系统用户的协议。',
  },
} as const;

/** Texts of changes, by step. */
export const CHANGES: Readonly<Record<string, { readonly en: string; readonly zh: string }>> = {
  user: { en: 'account', zh: '账号' },
  shell: { en: 'shell', zh: 'Shell' },
  home: { en: 'home folder', zh: '家目录' },
  group: { en: 'group', zh: '用户组' },
  password: { en: 'password', zh: '密码' },
  key: { en: 'key', zh: '密钥' },
  authority: { en: 'SSH authority', zh: 'SSH 证书颁发机构' },
  sudo: { en: 'sudo rule', zh: 'sudo 规则' },
};
