import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  organization: { zh: '组织', en: 'Organization' },
  members: { zh: '成员', en: 'Members' },
  admins: { zh: '管理员', en: 'Administrators' },
  auditors: { zh: '审计员', en: 'Auditors' },
  users: { zh: '用户', en: 'Users' },
  work: { zh: '切换到该组织', en: 'Switch to this organization' },
  switch: { zh: '切换', en: 'Switch' },
  current: { zh: '当前组织', en: 'Current' },
  adminsHelp: {
    zh: '管理该组织的用户、资产和授权。',
    en: 'Manage users, assets and permissions of this organization.',
  },
  auditorsHelp: {
    zh: '查看该组织的会话和日志。',
    en: 'View sessions and logs of this organization.',
  },
  usersHelp: {
    zh: '连接获得授权的资产。',
    en: 'Connect to the assets granted to them.',
  },
  empty: {
    zh: '各组织的用户组、资产、授权和日志相互隔离。创建一个组织并指定管理员。',
    en: 'Organizations separate groups, assets, permissions and logs. Create one and choose its administrators.',
  },
});
