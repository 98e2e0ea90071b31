import { Permission } from '@sallyport/contract';
import { lazyRouteComponent as page } from '@tanstack/react-router';
import type { Screen } from '../../base/screen.ts';
import { resourceScreens } from '../../resource/resource-screens.ts';

const groups = () => import('./UserGroups.tsx');
const mappings = () => import('./GroupMappings.tsx');
const menu = { group: 'people' } as const;

/** Users, invitations and groups. */
export const userScreens: readonly Screen[] = [
  ...resourceScreens(
    'user',
    {
      title: { zh: '用户列表', en: 'Users' },
      otherNames: [{ zh: '用户管理', en: 'People' }],
      list: page(() => import('./UserList.tsx'), 'UserList'),
      plainRows: true,
      form: page(() => import('./UserForm.tsx'), 'UserForm'),
      detail: page(() => import('./UserDetail.tsx'), 'UserDetail'),
    },
    { menu },
  ),
  {
    name: 'UserInvitations',
    path: '/users/invitations',
    title: { zh: '邀请', en: 'Invitations' },
    menu,
    component: page(() => import('./Invitations.tsx'), 'Invitations'),
  },
  {
    name: 'Newcomers',
    path: '/users/newcomers',
    title: { zh: '邀请新用户', en: 'Invite new users' },
    otherNames: [{ zh: '外部人员', en: 'Contractors' }],
    activeMenu: '/users/users',
    component: page(() => import('./Newcomers.tsx'), 'Newcomers'),
  },
  ...resourceScreens(
    'user_group',
    {
      title: { zh: '用户组', en: 'User groups' },
      list: page(groups, 'UserGroupList'),
      plainRows: true,
      form: page(() => import('./UserGroupForm.tsx'), 'UserGroupForm'),
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
