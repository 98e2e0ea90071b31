import { catalogue } from '../../../../kit/i18n/index.ts';

export const words = catalogue({
  hint: {
    zh: '填写需要访问的服务器、数据库或远程应用，以及账号、时长和原因。管理员可以缩小范围后批准，授权到期后自动失效。',
    en: 'Enter the servers, databases or remote apps you need, the account, the duration and the reason. An administrator may grant less. The access ends automatically.',
  },
  what: { zh: '申请内容', en: 'Access' },
  why: { zh: '原因', en: 'Details' },
  whom: { zh: '处理人', en: 'Reviewers' },
  ipsHelp: { zh: '每行一个地址', en: 'One address per line' },
  accountHelp: {
    zh: '例如 deploy；不清楚可留空',
    en: 'Such as deploy; blank if unknown',
  },
  titleHelp: {
    zh: '留空时使用主机名或应用名称',
    en: 'Leave blank to use the hostname or the name of the application',
  },
  applicationHelp: {
    zh: '应用的名称，例如 orders',
    en: 'The name of the application, for example orders',
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
