import { lazyRouteComponent } from '@tanstack/react-router';
import type { Screen } from './screen.ts';

const userForm = lazyRouteComponent(() => import('../pages/users/UserForm.tsx'), 'UserForm');
const groups = () => import('../pages/users/UserGroups.tsx');
const groupForm = lazyRouteComponent(() => import('../pages/users/UserGroupForm.tsx'), 'UserGroupForm');

/** People and their groups. */
export const userScreens: readonly Screen[] = [
  {
    name: 'UserList',
    path: '/users/users',
    title: { zh: '用户列表', en: 'Users' },
    menu: { group: 'users' },
    component: lazyRouteComponent(() => import('../pages/users/UserList.tsx'), 'UserList'),
  },
  { name: 'UserCreate', path: '/users/users/create', title: { zh: '创建用户', en: 'User create' }, activeMenu: '/users/users', component: userForm },
  { name: 'UserUpdate', path: '/users/users/$id/update', title: { zh: '更新用户', en: 'User update' }, activeMenu: '/users/users', component: userForm },
  {
    name: 'UserDetail',
    path: '/users/users/$id',
    title: { zh: '用户详情', en: 'User detail' },
    activeMenu: '/users/users',
    component: lazyRouteComponent(() => import('../pages/users/UserDetail.tsx'), 'UserDetail'),
  },
  {
    name: 'UserGroupList',
    path: '/users/groups',
    title: { zh: '用户组', en: 'User groups' },
    menu: { group: 'users' },
    component: lazyRouteComponent(groups, 'UserGroupList'),
  },
  {
    name: 'UserGroupCreate',
    path: '/users/groups/create',
    title: { zh: '创建用户组', en: 'User group create' },
    activeMenu: '/users/groups',
    component: groupForm,
  },
  {
    name: 'UserGroupUpdate',
    path: '/users/groups/$id/update',
    title: { zh: '更新用户组', en: 'User group update' },
    activeMenu: '/users/groups',
    component: groupForm,
  },
  {
    name: 'UserGroupDetail',
    path: '/users/groups/$id',
    title: { zh: '用户组详情', en: 'User group detail' },
    activeMenu: '/users/groups',
    component: lazyRouteComponent(groups, 'UserGroupDetail'),
  },
];
