import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  again: { zh: '重新执行', en: 'Make again' },
  againQuestion: {
    zh: '以您的权限重新执行：{action} {resource}。启用变更控制时，将改为提交变更申请。',
    en: 'Makes the change again with your rights: {action} {resource}. Under change control it becomes a proposal.',
  },
  without: {
    zh: '日志不保存这些内容，请之后重新填写：{fields}',
    en: 'The log does not keep these. Enter them afterwards: {fields}',
  },
  notAgain: {
    zh: '记录不足以重新执行，请手动操作',
    en: 'The record is too short for this. Make the change by hand',
  },
  madeAgain: { zh: '已重新执行', en: 'Made again' },
  proposed: { zh: '已提交变更申请', en: 'Proposed as a change set' },
  notMade: { zh: '未能重新执行', en: 'The change was not made' },
  settle: { zh: '标为已处理', en: 'Mark as settled' },
  settleSelected: { zh: '将所选标为已处理', en: 'Mark selected as settled' },
  settleQuestion: {
    zh: '将 {count, number} 项变更标为已处理，不会重新执行。',
    en: '{count, plural, one {The change leaves Needs attention. It is not made again.} other {# changes leave Needs attention. They are not made again.}}',
  },
  note: { zh: '处理说明', en: 'Note' },
  noteHint: {
    zh: '例如不再需要的原因；记入操作日志',
    en: 'Such as why it is no longer needed. The operation log keeps it',
  },
  settled: { zh: '已标为已处理', en: 'Marked as settled' },
  notSettled: { zh: '未能标为已处理', en: 'The changes are still open' },
  open: { zh: '待处理', en: 'Open' },
  none: { zh: '没有丢失的变更', en: 'No lost changes' },
  noneHint: {
    zh: '数据库故障切换到较旧的状态后，缺少的已确认变更会显示在这里。',
    en: 'After a failover of the database to an older state, confirmed changes that it lacks appear here.',
  },
});
