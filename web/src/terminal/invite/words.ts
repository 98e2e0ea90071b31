import { catalogue } from '../../kit/i18n/index.ts';

/** Texts of invitations, for the owner of a session. */
export const words = catalogue({
  title: { zh: '邀请同事加入 {asset} 的会话', en: 'Invite a colleague into {asset}' },
  hint: {
    zh: '访客须使用自己的账号登录，并拥有相同资产和系统用户的授权。访客的输入以其名字记录。',
    en: 'Guests sign in with their own account and need access to the same asset and system user. Their input is recorded under their names.',
  },
  off: {
    zh: '邀请功能已关闭，管理员可在终端设置中开启。',
    en: 'Invitations are off. An administrator can turn them on in the terminal settings.',
  },
  watch: { zh: '观看', en: 'Watch' },
  type: { zh: '观看并输入', en: 'Watch and type' },
  what: { zh: '访客可以', en: 'The guest can' },
  validFor: { zh: '有效期', en: 'Valid for' },
  minutes: {
    zh: '{minutes, number} 分钟',
    en: '{minutes, plural, one {# minute} other {# minutes}}',
  },
  whole: { zh: '直到会话结束', en: 'Until the session ends' },
  user: { zh: '仅限用户（用户名，可选）', en: 'Only for this user (username, optional)' },
  userHint: {
    zh: '留空时，第一个打开链接的人即为访客。',
    en: 'If blank, the first colleague who opens the link becomes the guest.',
  },
  create: { zh: '创建链接', en: 'Create link' },
  link: { zh: '邀请链接', en: 'Invitation link' },
  linkHint: {
    zh: '请立即复制。链接只显示一次，且只能由一位用户使用。',
    en: 'Copy the link now. It is shown only once, and only one user can use it.',
  },
  copy: { zh: '复制链接', en: 'Copy link' },
  copied: { zh: '已复制链接', en: 'Link copied' },
  notCopied: {
    zh: '浏览器不允许复制，请手动复制。',
    en: 'The browser blocks copying. Copy the link manually.',
  },
  invitations: { zh: '有效的邀请', en: 'Open invitations' },
  none: { zh: '没有有效的邀请', en: 'No open invitations' },
  open: { zh: '等待访客', en: 'no guest yet' },
  joined: { zh: '在会话中', en: 'in the session' },
  left: { zh: '已离开', en: 'left' },
  anybody: { zh: '持有链接的人', en: 'Anyone with the link' },
  end: { zh: '结束', en: 'End' },
  endNamed: { zh: '结束 {name} 的邀请', en: 'End the invitation of {name}' },
  close: { zh: '关闭', en: 'Close' },
  guests: { zh: '此会话的访客', en: 'Guests in this session' },
  watches: { zh: '正在观看', en: 'watches' },
  mayType: { zh: '可以输入', en: 'can type' },
  typing: { zh: '正在输入', en: 'is typing' },
  takeTyping: { zh: '禁止输入', en: 'Revoke typing' },
  takeTypingNamed: { zh: '禁止输入：{name}', en: 'Revoke typing: {name}' },
  giveTyping: { zh: '允许输入', en: 'Allow typing' },
  giveTypingNamed: { zh: '允许输入：{name}', en: 'Allow typing: {name}' },
});
