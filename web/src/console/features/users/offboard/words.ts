import { catalogue } from '../../../../kit/i18n/index.ts';

export const words = catalogue({
  title: { zh: '离职处理：{name}', en: 'Offboard {name}' },
  way: { zh: '账号', en: 'Account' },
  disable: { zh: '禁用', en: 'Disable' },
  disableHint: {
    zh: '用户不能再登录，之后可重新激活',
    en: 'The user can no longer sign in. You can activate the account again',
  },
  remove: { zh: '删除', en: 'Delete' },
  removeHint: {
    zh: '账号不再存在，日志和会话保留',
    en: 'The account is deleted. Logs and sessions stay',
  },
  removeHere: { zh: '移出组织', en: 'Remove from this organization' },
  removeHereHint: { zh: '账号在其他组织中保留', en: 'The account stays in other organizations' },
  follows: { zh: '影响', en: 'Impact' },
  nothing: {
    zh: '没有正在使用的登录、会话或密钥。',
    en: 'Nothing in use: no sign-in, session or key.',
  },
  signIns: { zh: '结束登录会话：{count, number} 个', en: 'Sign-ins ended: {count, number}' },
  sessions: {
    zh: '断开在线会话：{count, number} 个（{names}）',
    en: 'Live sessions disconnected: {count, number} ({names})',
  },
  accessKeys: { zh: '吊销 API Key：{count, number} 个', en: 'API keys revoked: {count, number}' },
  groups: {
    zh: '移出用户组：{count, number} 个（{names}）',
    en: 'Removed from user groups: {count, number} ({names})',
  },
  permissions: {
    zh: '移出资产授权：{count, number} 条（{names}）',
    en: 'Removed from permissions: {count, number} ({names})',
  },
  key: { zh: '移除 SSH 公钥', en: 'SSH keys removed' },
  also: { zh: '同时执行', en: 'Also' },
  alsoKey: { zh: '移除 SSH 公钥', en: 'Remove the SSH keys' },
  alsoGroups: {
    zh: '移出 {count, number} 个用户组：{names}',
    en: 'Remove from {count, plural, one {# user group} other {# user groups}}: {names}',
  },
  alsoPermissions: {
    zh: '移出 {count, number} 条资产授权：{names}',
    en: 'Remove from {count, plural, one {# permission} other {# permissions}}: {names}',
  },
  more: { zh: '{names} 等', en: '{names} and more' },
  rotateLater: {
    zh: '该用户可能知道 {count, number} 个共用账号的密码，可在下一步更换。',
    en: 'This user may know the password of {count, plural, one {# shared account} other {# shared accounts}}. You can rotate them in the next step.',
  },
  reason: { zh: '原因（写入操作日志）', en: 'Reason (written to the operation log)' },
  confirm: { zh: '执行离职处理', en: 'Offboard' },
  wasDisabled: { zh: '账号已禁用', en: 'Account disabled' },
  wasRemoved: { zh: '账号已删除', en: 'Account deleted' },
  wasRemovedHere: { zh: '用户已移出组织', en: 'User removed from the organization' },
  rotate: { zh: '请更换这些共用账号的密码', en: 'Change the passwords of these shared accounts' },
  rotateHint: {
    zh: '该用户可以使用或最近使用过这些账号，可能知道密码。',
    en: 'The user could use these accounts or used them recently, and may know the passwords.',
  },
  noAccounts: { zh: '没有需要更换密码的共用账号。', en: 'No shared accounts to change.' },
  lastUsed: { zh: '最近使用', en: 'last used' },
  change: { zh: '更换密码', en: 'Change password' },
});
