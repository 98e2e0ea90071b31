import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  markSeen: { zh: '标为已处理', en: 'Mark as seen' },
  markSelected: { zh: '将所选标为已处理', en: 'Mark selected as seen' },
  question: {
    zh: '将 {count, number} 条告警标为已处理。',
    en: '{count, plural, one {The alert leaves Needs attention.} other {# alerts leave Needs attention.}}',
  },
  note: { zh: '处理说明', en: 'Note' },
  noteHint: {
    zh: '例如核实的结果；记入操作日志',
    en: 'Such as what you found out. The operation log keeps it',
  },
  wasSeen: { zh: '已标为已处理', en: 'Marked as seen' },
  notSeen: { zh: '未能标为已处理', en: 'The alerts are still unseen' },
  open: { zh: '待处理', en: 'Unseen' },
  session: { zh: '会话', en: 'Session' },
  signIns: { zh: '登录记录', en: 'Sign-ins' },
  what: { zh: '发生了什么', en: 'What happened' },
  newNetwork: {
    zh: '{user} 首次从网络 {subject} 登录',
    en: '{user} signed in from a new network: {subject}',
  },
  newCountry: {
    zh: '{user} 首次从{subject}登录（{address}）',
    en: '{user} signed in from a new country: {subject} ({address})',
  },
  unusualHour: {
    zh: '{user} 在异常时段登录（{address}）',
    en: '{user} signed in at an unusual hour, from {address}',
  },
  firstUse: {
    zh: '{user} 首次使用账号 {subject}',
    en: '{user} used an account for the first time: {subject}',
  },
  denials: {
    zh: '{user} 被拒绝 {count, number} 次（{address}）',
    en: '{user} was denied {count, plural, one {# time} other {# times}}, from {address}',
  },
  denialsFrom: {
    zh: '来自 {address} 的登录被拒绝 {count, number} 次',
    en: '{count, plural, one {# denied sign-in} other {# denied sign-ins}} from {address}',
  },
  recovered: {
    zh: '{user} 的登录信息已在服务器上重置',
    en: 'The sign-in of {user} was reset on the server',
  },
  lost: { zh: '故障切换丢失了变更', en: 'A failover lost changes' },
  reusedToken: {
    zh: '{user} 的智能体 {subject} 的令牌被使用两次（{address}），可能已被盗用；智能体已结束',
    en: 'A token of the agent {subject} of {user} was used twice, from {address}, and may be stolen. The agent has ended',
  },
  around: { zh: '前后一小时', en: 'One hour before and after' },
  nothingAround: { zh: '没有登录或会话', en: 'No sign-ins or sessions' },
  signedIn: { zh: '登录，来自 {ip}', en: 'Signed in from {ip}' },
  failedSignIn: { zh: '登录失败，来自 {ip}：{reason}', en: 'Sign-in from {ip} failed: {reason}' },
  connected: { zh: '以 {account} 连接 {asset}', en: 'Connected to {asset} as {account}' },
  noThreat: { zh: '不是威胁…', en: 'Not a threat…' },
  openUser: { zh: '查看用户', en: 'Open the user' },
  allSignIns: { zh: '全部登录记录', en: 'All sign-ins' },
  endSessions: {
    zh: '结束 {count, number} 个会话…',
    en: '{count, plural, one {End the session…} other {End # sessions…}}',
  },
  disable: { zh: '禁用用户…', en: 'Disable the user…' },
  disableTitle: { zh: '禁用 {user}？', en: 'Disable {user}?' },
  disableQuestion: {
    zh: '用户将被退出登录，会话随之结束，直到重新启用。',
    en: 'The user is signed out, the sessions end, and no sign-in works until you enable the user again.',
  },
  wasDisabled: { zh: '用户已禁用', en: 'The user is disabled' },
  none: { zh: '没有告警', en: 'No alerts' },
  noneHint: {
    zh: '成员的异常登录、账号首次使用和多次被拒绝会显示在这里；在系统设置的“告警”中选择类别。',
    en: 'Unusual sign-ins, first uses of accounts and many denials appear here. The settings choose the kinds under Alerts.',
  },
});
