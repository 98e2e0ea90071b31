import { catalogue } from '../../../../kit/i18n/index.ts';

export const words = catalogue({
  hint: {
    zh: '管理员可以缩小范围后批准，访问到期后自动失效。',
    en: 'An administrator may grant less than you ask for. The access ends automatically.',
  },
  what: { zh: '申请内容', en: 'Access' },
  need: { zh: '您需要访问什么？', en: 'What do you need?' },
  length: { zh: '时长', en: 'For how long' },
  searchTargets: {
    zh: '按名称或地址搜索服务器、数据库、远程应用',
    en: 'Search servers, databases and remote apps by name or address',
  },
  typeTarget: { zh: '输入至少两个字符', en: 'Type at least two characters' },
  noTarget: { zh: '没有匹配项', en: 'No matches' },
  asTyped: { zh: '其他', en: 'Other' },
  useTyped: { zh: '申请“{name}”', en: 'Ask for “{name}”' },
  goesTo: { zh: '由 {names} 处理。', en: 'Goes to {names}.' },
  goesToMany: {
    zh: '由 {names} 等处理（另有 {count, number} 位）。',
    en: 'Goes to {names} and {count, plural, one {# other} other {# others}}.',
  },
  usually: { zh: '通常 {length}内答复。', en: 'Usually answered within {length}.' },
  accountHelp: {
    zh: '例如 deploy；不清楚可留空',
    en: 'Such as deploy; blank if unknown',
  },
  titleHelp: {
    zh: '留空时使用主机名或应用名称',
    en: 'Leave blank to use the hostname or the name of the application',
  },
  readOnlyHelp: { zh: '只查询，不修改数据', en: 'Read only, without changing data' },
  organization: { zh: '组织', en: 'Organization' },
  assigneesHelp: {
    zh: '留空时，该组织的所有管理员均可处理',
    en: 'Leave blank to let every administrator of the organization answer',
  },
  noAdministrator: {
    zh: '该组织没有可以处理申请的管理员。',
    en: 'This organization has no administrator who can answer.',
  },
  send: { zh: '提交申请', en: 'Send request' },
  asked: { zh: '已提交申请', en: 'Request sent' },
  minutes: { zh: '{count, number} 分钟', en: '{count, plural, one {# minute} other {# minutes}}' },
  hours: { zh: '{count, number} 小时', en: '{count, plural, one {# hour} other {# hours}}' },
  days: { zh: '{count, number} 天', en: '{count, plural, one {# day} other {# days}}' },
  weeks: { zh: '{count, number} 周', en: '{count, plural, one {# week} other {# weeks}}' },
  untilDate: { zh: '到某个时间…', en: 'Until a date…' },
  request: { zh: '申请访问权限', en: 'Request access' },
  requested: { zh: '申请的访问', en: 'Requested access' },
  has: { zh: '申请人现有权限', en: 'Current access of the requester' },
  elsewhere: {
    zh: '请切换到组织 {name} 后处理此申请。',
    en: 'Switch to the organization {name} to answer this request.',
  },
  permission: { zh: '已创建授权', en: 'Permission' },
  from: { zh: '申请', en: 'Request' },
});
