import { catalogue, t } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  noMailServer: {
    zh: '未配置邮件服务器，无法发送设置密码的链接。',
    en: 'No mail server is set up, so Sallyport cannot email a link.',
  },
  setUpMail: { zh: '配置邮件', en: 'Set up mail' },
  mfaIsOff: { zh: '关闭', en: 'Off' },
  mfaIsOn: { zh: '开启', en: 'On' },
  mfaIsEnforced: { zh: '强制开启', en: 'Enforced' },
  lastSignIn: { zh: '最近登录', en: 'Last sign-in' },
  account: { zh: '账号', en: 'Account' },
  authentication: { zh: '认证', en: 'Authentication' },
  secure: { zh: '角色与有效期', en: 'Role and expiry' },
  basic: { zh: '基本', en: 'Basic' },
  updatePassword: { zh: '重设密码', en: 'Set password' },
  setPublicKey: { zh: '设置 SSH 公钥', en: 'Set SSH public key' },
  groupAccess: { zh: '资产', en: 'Assets' },
  assetRules: { zh: '资产授权', en: 'Asset permissions' },
  neverSignedIn: { zh: '从未登录', en: 'Never' },
  factorIs: { zh: '双重认证：{state}', en: 'Second factor: {state}' },
  signIns: { zh: '登录设备', en: 'Signed-in devices' },
  askedFirst: {
    zh: '邀请已发送，对方接受后加入组织',
    en: 'Invitation sent. Users join after they accept it',
  },
  invitations: { zh: '邀请', en: 'Invitations' },
  invitationsHint: {
    zh: '对方在个人信息页面接受或拒绝邀请，14 天内有效。',
    en: 'Users accept or decline on their profile page within 14 days.',
  },
  noInvitations: { zh: '没有待处理的邀请', en: 'No open invitations' },
  noInvitationsHint: {
    zh: '邀请其他组织的用户加入当前组织，对方接受后成为成员。',
    en: 'Invite users of other organizations. They become members after they accept.',
  },
  invitedElsewhere: {
    zh: '所有用户都属于默认组织，请切换到其他组织后再邀请。',
    en: 'Every user belongs to the default organization. Switch to another organization to invite users.',
  },
  invitationOpen: { zh: '等待接受', en: 'Waiting' },
  invitationExpired: { zh: '已过期', en: 'Expired' },
  invitedUntil: {
    zh: '{who} 邀请于 {since}，有效期至 {until}',
    en: 'Invited by {who} on {since}, valid until {until}',
  },
  invitedWasUntil: {
    zh: '{who} 邀请于 {since}，已于 {until} 过期',
    en: 'Invited by {who} on {since}, expired on {until}',
  },
  sendAgain: { zh: '重新邀请', en: 'Invite again' },
  sendAgainQuestion: {
    zh: '重新邀请 {account}？邀请将重新有效 14 天。',
    en: 'Invite {account} again? The invitation is valid for another 14 days.',
  },
  withdraw: { zh: '撤回', en: 'Withdraw' },
  withdrawQuestion: {
    zh: '撤回对 {account} 的邀请？对方将不能再接受。',
    en: 'Withdraw the invitation of {account}? The user can no longer accept it.',
  },
  withdrawn: { zh: '邀请已撤回', en: 'Invitation withdrawn' },
  accessKeys: { zh: 'API Key', en: 'API Key' },
  noAccessKeys: { zh: '没有 API Key。', en: 'No API keys.' },
  revoke: { zh: '吊销', en: 'Revoke' },
  revokeAll: { zh: '全部吊销', en: 'Revoke all' },
  revokeQuestion: {
    zh: '吊销 {name}？使用它的脚本将失效，其打开的会话立即结束。',
    en: 'Revoke {name}? Scripts that use this key stop working, and its sessions end immediately.',
  },
  revokeAllQuestion: {
    zh: '吊销全部 API Key？使用它们的脚本将失效，其打开的会话立即结束。',
    en: 'Revoke every API key? Scripts that use these keys stop working, and their sessions end immediately.',
  },
  revoked: { zh: '已吊销', en: 'Revoked' },
  keyUsed: { zh: '最后使用 {date}，来自 {address}', en: 'Last used {date} from {address}' },
  keyNeverUsed: { zh: '从未使用', en: 'Never used' },
  keyEnds: { zh: '失效日期 {date}', en: 'Expires {date}' },
  keyNoEnd: { zh: '永不失效', en: 'Does not expire' },
  keyOff: { zh: '已禁用', en: 'Off' },
  reasonOnPage: {
    zh: '您不能对该账号执行此操作，原因见其详情页',
    en: 'You may not change this account. Its page shows the reason',
  },
  passwordElsewhere: {
    zh: '该账号的密码由外部用户目录或认证服务管理',
    en: 'A directory or sign-in provider manages the password',
  },
  mfaOff: { zh: '该用户未启用双重认证', en: 'This user has no second factor' },
  notBlocked: { zh: '该用户未被锁定', en: 'This user is not locked out' },
  offboard: { zh: '离职处理…', en: 'Offboard…' },
  offboardTitle: { zh: '离职处理', en: 'Offboarding' },
  activate: { zh: '激活', en: 'Activate' },
  resetMfa: { zh: '重置双重认证', en: 'Reset second factor' },
  resetMfaQuestion: {
    zh: '将移除该用户的身份验证器、通行密钥和恢复码，并注销其所有登录。是否重置？',
    en: 'This removes the authenticator, passkeys and recovery codes of this user and signs the user out everywhere. Reset?',
  },
  resetPassword: { zh: '重置密码', en: 'Reset password' },
  resetPasswordQuestion: {
    zh: '向该用户的邮箱发送重置密码的链接？',
    en: 'Email this user a link to choose a new password?',
  },
  resetKey: { zh: '重置 SSH 密钥', en: 'Reset SSH keys' },
  resetKeyQuestion: {
    zh: '将移除该用户的全部 SSH 公钥并发送邮件通知。是否重置？',
    en: 'This removes all SSH keys of this user and notifies the user by email. Reset?',
  },
  setPassword: { zh: '设置密码', en: 'Set password' },
  set: { zh: '设置', en: 'Set' },
  send: { zh: '发送', en: 'Send' },
  sent: { zh: '已发送', en: 'Sent' },
  reset: { zh: '重置', en: 'Reset' },
  newPassword: { zh: '新密码', en: 'New password' },
  resetHint: { zh: '该用户的其他登录会话将被注销。', en: 'This signs the user out everywhere.' },
  unblockLogin: { zh: '解锁用户', en: 'Unlock sign-in' },
  unblock: { zh: '解锁', en: 'Unlock' },
  reviewers: { zh: '登录复核', en: 'Sign-in confirmation' },
  userGroups: { zh: '用户组', en: 'User groups' },
  members: { zh: '成员', en: 'Members' },
  emptyUsers: {
    zh: '为每个需要访问服务器的用户创建账号。',
    en: 'Create an account for each user who needs to reach a server.',
  },
  hostname: { zh: '主机名', en: 'Hostname' },
  comment: { zh: '备注', en: 'Comment' },
  showNames: { zh: '显示', en: 'Show' },
  systemUsers: { zh: '系统用户', en: 'System users' },
  removeSelected: { zh: '移除所选', en: 'Remove selected' },
  removeQuestion: { zh: '确定移除', en: 'Remove' },
  removeFailed: { zh: '移除失败', en: 'Could not remove' },
  rows: { zh: '{count, number} 个用户', en: '{count, plural, one {# user} other {# users}}' },
  invite: { zh: '邀请用户', en: 'Invite' },
  inviteHint: {
    zh: '将已有账号加入当前组织。请填写完整的用户名或邮箱。',
    en: 'Adds existing accounts to this organization. Enter complete usernames or email addresses.',
  },
  inviteNewUsers: { zh: '邀请新用户…', en: 'Invite new users…' },
  newcomersHint: {
    zh: '为外部人员创建账号，并授予有期限的访问权限。',
    en: 'Creates accounts for people from outside, with access for a limited time.',
  },
  newcomersWho: { zh: '对象和用户组', en: 'Who, and in which groups' },
  newcomersWhere: { zh: '资产和账号', en: 'Where, and as whom' },
  newcomersTerms: { zh: '期限和动作', en: 'Until when, and what' },
  createNewcomers: { zh: '创建账号', en: 'Create accounts' },
  newcomersWithoutAccess: {
    zh: '未选择资产：新用户可以登录，但除用户组已有的授权外不能访问任何资产。',
    en: 'Without assets, the new users can sign in, but reach only what their groups are granted.',
  },
  newcomersCreated: {
    zh: '已创建 {count, number} 个账号',
    en: '{count, plural, one {# account} other {# accounts}} created',
  },
  newcomersMailed: {
    zh: '设置密码的链接将通过邮件发送给每个人，1 小时内有效。',
    en: 'Each person gets an email with a link to set a password, valid for an hour.',
  },
  newcomersLinks: {
    zh: '请将链接发给本人，用于设置密码。链接仅显示一次，3 天内有效，只能使用一次。',
    en: 'Send each person the link to set a password. It is shown only now, valid for 3 days, and works once.',
  },
  allLinks: { zh: '全部链接', en: 'All links' },
  linkOf: { zh: '{name} 的链接', en: 'Link of {name}' },
  showPermission: { zh: '查看授权', en: 'Show permission' },
  inviteMore: { zh: '继续邀请', en: 'Invite more' },
  accounts: { zh: '用户名或邮箱', en: 'Usernames or email addresses' },
  inviteAs: { zh: '组织角色', en: 'Role in the organization' },
  asUser: { zh: '用户', en: 'User' },
  asAuditor: { zh: '审计员', en: 'Auditor' },
  asAdmin: { zh: '管理员', en: 'Administrator' },
  invited: { zh: '已加入组织', en: 'Invited' },
  leaveQuestion: {
    zh: '将 {count, number} 位用户移出“{name}”？',
    en: 'Remove {count, plural, one {# user} other {# users}} from "{name}"?',
  },
});

/** Labels of the roles in an organization. */
export const INVITED_AS = {
  User: words.asUser,
  Auditor: words.asAuditor,
  Admin: words.asAdmin,
} as const;

/** The second factor of an account: off, on or enforced. */
export const mfaText = (level: number | null) =>
  level === null
    ? ''
    : t([words.mfaIsOff, words.mfaIsOn, words.mfaIsEnforced][level] ?? words.mfaIsOff);
