import { catalogue } from '../../../../kit/i18n/index.ts';

export const words = catalogue({
  hint: {
    zh: '填写需要访问的服务器、数据库或远程应用，以及账号、时长和原因。管理员可以缩小范围后批准，授权到期后自动失效。',
    en: 'Say which servers, databases or remote apps you need, as which account, for how long and why. An administrator may grant less. The access ends by itself.',
  },
  what: { zh: '申请内容', en: 'What' },
  why: { zh: '原因', en: 'Why' },
  whom: { zh: '处理人', en: 'Reviewers' },
  ipsHelp: { zh: '每行一个地址', en: 'One address per line' },
  accountHelp: {
    zh: '例如 deploy；不清楚可留空',
    en: 'For example deploy. Leave it blank if you do not know.',
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
    zh: '不选择时，由该组织的所有管理员处理',
    en: 'If you choose nobody, every administrator of the organization can answer',
  },
  noAdministrator: {
    zh: '该组织没有可以处理申请的管理员。',
    en: 'This organization has no administrator who can answer.',
  },
  asked: { zh: '已提交申请', en: 'The request was sent' },
  request: { zh: '申请权限', en: 'Request access' },
  requested: { zh: '申请的访问', en: 'Requested access' },
  decide: { zh: '审批', en: 'Grant' },
  grant: { zh: '同意并授权', en: 'Approve and grant' },
  rejectTheRequest: { zh: '拒绝申请', en: 'Reject the request' },
  has: { zh: '申请人现有权限', en: 'What the requester has' },
  elsewhere: {
    zh: '请切换到组织 {name} 后处理此申请。',
    en: 'Switch to the organization {name} to answer this request.',
  },
  permission: { zh: '已创建授权', en: 'Permission' },
  from: { zh: '申请', en: 'Request' },
});
