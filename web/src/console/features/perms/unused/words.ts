import type { UnusedKind } from '@sallyport/contract';
import { catalogue } from '../../../../kit/i18n/index.ts';

export const words = catalogue({
  title: { zh: '未使用的授权', en: 'Unused access' },
  period: { zh: '统计期间', en: 'Period' },
  lastDays: {
    zh: '最近 {count, number} 天',
    en: 'Last {count, plural, one {# day} other {# days}}',
  },
  permission: { zh: '授权规则', en: 'Permission' },
  unused: { zh: '未使用的内容', en: 'What nobody used' },
  whole: { zh: '整条规则', en: 'The whole permission' },
  since: { zh: '授权始于', en: 'Granted since' },
  lastUsed: { zh: '最近使用', en: 'Last used' },
  until: { zh: '有效期至', en: 'Until' },
  never: { zh: '从未', en: 'Never' },
  hint: {
    zh: '在此期间没有会话使用过的授权。不满此期间的新授权不在其中。',
    en: 'Access that no session used in this period. Access granted during the period is left out.',
  },
  nothing: { zh: '在此期间所有授权都被使用过。', en: 'All access was used in this period.' },
  deleteRule: { zh: '删除规则', en: 'Delete permission' },
  deleteSelected: { zh: '删除所选规则', en: 'Delete selected permissions' },
  onlyWhole: { zh: '请只选择整条规则', en: 'Select whole permissions only' },
  deleteMany: {
    zh: '确定删除 {count, number} 条规则？',
    en: '{count, plural, one {Delete # permission?} other {Delete # permissions?}}',
  },
  endOn: { zh: '指定结束日期…', en: 'End on a date…' },
  endOnTitle: { zh: '结束“{name}”', en: 'End “{name}”' },
  setEnd: { zh: '设置结束日期', en: 'Set end date' },
  endDate: { zh: '结束日期', en: 'End' },
  notAMoment: { zh: '请输入一个日期。', en: 'Enter a date.' },
  removeQuestion: {
    zh: '从规则“{name}”中移除 {member}？',
    en: 'Remove {member} from the permission “{name}”?',
  },
  saveFile: { zh: '导出 CSV', en: 'Export CSV' },
  useTitle: { zh: '使用情况', en: 'Use' },
  usedBy: { zh: '使用者', en: 'Used by' },
  usedByOf: {
    zh: '最近 {days, number} 天：{named, number} 个用户中的 {users, number} 个',
    en: '{users, number} of {named, plural, one {# user} other {# users}} in the last {days, plural, one {# day} other {# days}}',
  },
  isNew: {
    zh: '该规则不满 {days, number} 天，尚不判断是否需要。',
    en: 'It is less than {days, plural, one {# day} other {# days}} old: too early to say whether it is needed.',
  },
  isUnused: {
    zh: '最近 {days, number} 天没有人使用。',
    en: 'Nobody used it in the last {days, plural, one {# day} other {# days}}.',
  },
});

export const KIND_TEXTS = catalogue({
  permission: { zh: '授权规则', en: 'Permission' },
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
