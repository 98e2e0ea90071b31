import { catalogue } from '../../kit/i18n/index.ts';

/** Words of inviting somebody into a session, for its owner. */
export const words = catalogue({
  title: { zh: '邀请同事加入 {asset} 的会话', en: 'Invite a colleague into {asset}' },
  hint: {
    zh: '对方须自己登录，并拥有相同资产和系统用户的授权。对方输入的内容会被记录，并标明是谁输入的。',
    en: 'Guests sign in as themselves and need access to the same asset and system user. What they type is recorded under their names.',
  },
  off: {
    zh: '邀请功能已关闭，管理员可在终端设置中开启。',
    en: 'Invitations are switched off. An administrator can switch them on in the terminal settings.',
  },
  watch: { zh: '观看', en: 'Watch' },
  type: { zh: '观看并输入', en: 'Watch and type' },
  what: { zh: '访客可以', en: 'The guest may' },
  validFor: { zh: '有效期', en: 'Valid for' },
  minutes: {
    zh: '{minutes, number} 分钟',
    en: '{minutes, plural, one {# minute} other {# minutes}}',
  },
  whole: { zh: '直到会话结束', en: 'Until the session ends' },
  user: { zh: '仅限用户（用户名，可选）', en: 'Only for this user (username, optional)' },
  userHint: {
    zh: '留空时，第一个打开链接的人即为访客。',
    en: 'Without one, the first colleague who opens the link is the guest.',
  },
  create: { zh: '创建链接', en: 'Create link' },
  link: { zh: '邀请链接', en: 'Invitation link' },
  linkHint: {
    zh: '请立即复制：链接只显示一次，且只能由一个人使用。',
    en: 'Copy it now: it is shown once, and one person can use it.',
  },
  copy: { zh: '复制链接', en: 'Copy link' },
  copied: { zh: '已复制链接', en: 'Link copied' },
  notCopied: {
    zh: '浏览器不允许复制，请手动复制。',
    en: 'The browser did not allow copying. Copy the link by hand.',
  },
  invitations: { zh: '有效的邀请', en: 'Open invitations' },
  none: { zh: '没有有效的邀请', en: 'No open invitations' },
  open: { zh: '等待访客', en: 'nobody yet' },
  joined: { zh: '在会话中', en: 'in the session' },
  left: { zh: '已离开', en: 'left' },
  anybody: { zh: '持有链接的人', en: 'Anybody with the link' },
  end: { zh: '结束', en: 'End' },
  endNamed: { zh: '结束 {name} 的邀请', en: 'End the invitation of {name}' },
  close: { zh: '关闭', en: 'Close' },
  guests: { zh: '此会话的访客', en: 'Guests in this session' },
  watches: { zh: '正在观看', en: 'watches' },
  mayType: { zh: '可以输入', en: 'may type' },
  typing: { zh: '正在输入', en: 'is typing' },
  takeTyping: { zh: '取消输入', en: 'Take typing away' },
  takeTypingNamed: { zh: '取消输入：{name}', en: 'Take typing away from {name}' },
  giveTyping: { zh: '允许输入', en: 'Let type' },
  giveTypingNamed: { zh: '允许输入：{name}', en: 'Let type: {name}' },
});
