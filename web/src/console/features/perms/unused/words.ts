import type { UnusedKind } from '@sallyport/contract';
import { catalogue } from '../../../../kit/i18n/index.ts';

export const words = catalogue({
  title: { zh: '未使用的授权', en: 'Unused access' },
  period: { zh: '统计期间', en: 'Period' },
  lastDays: {
    zh: '最近 {count, number} 天',
    en: 'Last {count, plural, one {# day} other {# days}}',
  },
  permission: { zh: '授权', en: 'Permission' },
  unused: { zh: '未使用的内容', en: 'Unused' },
  whole: { zh: '整条授权', en: 'Entire permission' },
  since: { zh: '授权始于', en: 'Granted since' },
  lastUsed: { zh: '最近使用', en: 'Last used' },
  until: { zh: '有效期至', en: 'Until' },
  never: { zh: '从未', en: 'Never' },
  hint: {
    zh: '此期间内没有会话使用的授权。期间内新增的授权不列出。',
    en: 'Access that no session used in this period. Access granted during the period is not listed.',
  },
  nothing: { zh: '此期间内所有授权均有使用。', en: 'All access was used in this period.' },
  deleteRule: { zh: '删除授权', en: 'Delete permission' },
  deleteSelected: { zh: '删除所选授权', en: 'Delete selected permissions' },
  onlyWhole: { zh: '请只选择整条授权', en: 'Select entire permissions only' },
  deleteMany: {
    zh: '确定删除 {count, number} 条授权？',
    en: '{count, plural, one {Delete # permission?} other {Delete # permissions?}}',
  },
  endOn: { zh: '指定结束日期…', en: 'End on a date…' },
  endOnTitle: { zh: '结束“{name}”', en: 'End “{name}”' },
  setEnd: { zh: '设置结束日期', en: 'Set end date' },
  endDate: { zh: '结束日期', en: 'End' },
  notAMoment: { zh: '请输入一个日期。', en: 'Enter a date.' },
  removeQuestion: {
    zh: '从授权“{name}”中移除 {member}？',
    en: 'Remove {member} from the permission “{name}”?',
  },
  useTitle: { zh: '使用情况', en: 'Usage' },
  usedBy: { zh: '使用者', en: 'Used by' },
  usedByOf: {
    zh: '最近 {days, number} 天：{named, number} 个用户中的 {users, number} 个',
    en: '{users, number} of {named, plural, one {# user} other {# users}} in the last {days, plural, one {# day} other {# days}}',
  },
  isNew: {
    zh: '该授权创建不满 {days, number} 天，使用情况尚不足以判断。',
    en: 'Less than {days, plural, one {# day} other {# days}} old, so usage is not conclusive yet.',
  },
  isUnused: {
    zh: '最近 {days, number} 天没有人使用。',
    en: 'Unused in the last {days, plural, one {# day} other {# days}}.',
  },
});

export const KIND_TEXTS = catalogue({
  permission: { zh: '授权', en: 'Permission' },
  user: { zh: '用户', en: 'User' },
  user_group: { zh: '用户组', en: 'User group' },
  asset: { zh: '资产', en: 'Asset' },
  node: { zh: '节点', en: 'Node' },
} satisfies Record<UnusedKind, unknown>);

/** The proposal for an unused member. */
export const REMOVE_TEXTS = catalogue({
  user: { zh: '移除用户', en: 'Remove user' },
  user_group: { zh: '移除用户组', en: 'Remove group' },
  asset: { zh: '移除资产', en: 'Remove asset' },
  node: { zh: '移除节点', en: 'Remove node' },
} satisfies Record<Exclude<UnusedKind, 'permission'>, unknown>);
