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
  none: { zh: '没有告警', en: 'No alerts' },
  noneHint: {
    zh: '成员的异常登录、账号首次使用和多次被拒绝会显示在这里；在系统设置的“告警”中选择类别。',
    en: 'Unusual sign-ins, first uses of accounts and many denials appear here. The settings choose the kinds under Alerts.',
  },
});
