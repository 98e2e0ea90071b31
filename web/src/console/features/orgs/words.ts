import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  basic: { zh: '基本', en: 'Basic' },
  members: { zh: '成员', en: 'Members' },
  info: { zh: '组织详情', en: 'Org detail' },
  admins: { zh: '管理员', en: 'Administrators' },
  auditors: { zh: '审计员', en: 'Auditors' },
  users: { zh: '用户', en: 'Users' },
  work: { zh: '在该组织中工作', en: 'Work in this organization' },
  switch: { zh: '切换', en: 'Switch' },
  current: { zh: '当前组织', en: 'Current' },
  adminsHelp: {
    zh: '管理该组织的用户、资产和授权。',
    en: 'They manage people, assets and permissions of this organization.',
  },
  auditorsHelp: {
    zh: '查看该组织的会话和日志。',
    en: 'They see sessions and logs of this organization.',
  },
  usersHelp: {
    zh: '连接授权给他们的资产。',
    en: 'They connect to the assets that are granted to them.',
  },
  empty: {
    zh: '组织之间的用户组、资产、授权和日志相互隔离。创建一个组织，并为它选择管理员。',
    en: 'Organizations keep their groups, assets, permissions and logs apart. Create one and choose who administers it.',
  },
});
