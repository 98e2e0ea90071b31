import { Permission } from '@sallyport/contract';
import { lazyRouteComponent as page } from '@tanstack/react-router';
import type { Screen } from '../base/screen.ts';
import { resourceScreens } from './resource-screens.ts';

const groups = () => import('../features/users/UserGroups.tsx');
const mappings = () => import('../features/users/GroupMappings.tsx');
const menu = { group: 'people' } as const;

export const userScreens: readonly Screen[] = [
  ...resourceScreens(
    'user',
    {
      title: { zh: '用户列表', en: 'Users' },
      otherNames: [{ zh: '用户管理', en: 'People' }],
      list: page(() => import('../features/users/UserList.tsx'), 'UserList'),
      form: page(() => import('../features/users/UserForm.tsx'), 'UserForm'),
      detail: page(() => import('../features/users/UserDetail.tsx'), 'UserDetail'),
    },
    { menu },
  ),
  {
    name: 'UserInvitations',
    path: '/users/invitations',
    title: { zh: '邀请', en: 'Invitations' },
    menu,
    component: page(() => import('../features/users/Invitations.tsx'), 'Invitations'),
  },
  {
    name: 'Newcomers',
    path: '/users/newcomers',
    title: { zh: '邀请新用户', en: 'Invite new users' },
    otherNames: [{ zh: '外部人员', en: 'Contractors' }],
    activeMenu: '/users/users',
    component: page(() => import('../features/users/Newcomers.tsx'), 'Newcomers'),
  },
  ...resourceScreens(
    'notification',
    {
      title: { zh: '通知', en: 'Notifications' },
      list: page(
        () => import('../features/notifications/NotificationList.tsx'),
        'NotificationList',
      ),
    },
    { alsoFor: Permission.USE | Permission.AUDIT },
  ),
  ...resourceScreens(
    'user_group',
    {
      title: { zh: '用户组', en: 'User groups' },
      list: page(groups, 'UserGroupList'),
      form: page(() => import('../features/users/UserGroupForm.tsx'), 'UserGroupForm'),
      detail: page(groups, 'UserGroupDetail'),
    },
    { menu },
  ),
  ...resourceScreens(
    'group_mapping',
    {
      title: { zh: '组映射', en: 'Group mappings' },
      otherNames: [
        { zh: 'LDAP 组', en: 'LDAP groups' },
        { zh: 'SAML 和 OpenID 组', en: 'SAML and OpenID groups' },
      ],
      list: page(mappings, 'GroupMappingList'),
      form: page(mappings, 'GroupMappingForm'),
      detail: page(mappings, 'GroupMappingDetail'),
    },
    { menu, permissions: Permission.SUPER | Permission.ADMIN },
  ),
];
