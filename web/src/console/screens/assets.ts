import { lazyRouteComponent } from '@tanstack/react-router';
import type { Screen } from './screen.ts';

const assetForm = lazyRouteComponent(() => import('../pages/assets/AssetForm.tsx'), 'AssetForm');
const domains = () => import('../pages/assets/Domains.tsx');
const domainForm = lazyRouteComponent(domains, 'DomainForm');
const gatewayForm = lazyRouteComponent(domains, 'GatewayForm');
const adminUsers = () => import('../pages/assets/AdminUsers.tsx');
const adminUserForm = lazyRouteComponent(adminUsers, 'AdminUserForm');
const systemUsers = () => import('../pages/assets/SystemUsers.tsx');
const systemUserForm = lazyRouteComponent(systemUsers, 'SystemUserForm');
const labels = () => import('../pages/assets/Labels.tsx');
const labelForm = lazyRouteComponent(labels, 'LabelForm');

/** Servers, and what belongs to them. */
export const assetScreens: readonly Screen[] = [
  {
    name: 'AssetList',
    path: '/assets/assets',
    title: { zh: '资产列表', en: 'Assets' },
    menu: { group: 'assets' },
    component: lazyRouteComponent(() => import('../pages/assets/AssetList.tsx'), 'AssetList'),
  },
  { name: 'AssetCreate', path: '/assets/assets/create', title: { zh: '创建资产', en: 'Asset create' }, activeMenu: '/assets/assets', component: assetForm },
  { name: 'AssetUpdate', path: '/assets/assets/$id/update', title: { zh: '更新资产', en: 'Asset update' }, activeMenu: '/assets/assets', component: assetForm },
  {
    name: 'AssetDetail',
    path: '/assets/assets/$id',
    title: { zh: '资产详情', en: 'Asset detail' },
    activeMenu: '/assets/assets',
    component: lazyRouteComponent(() => import('../pages/assets/AssetDetail.tsx'), 'AssetDetail'),
  },
  {
    name: 'DomainList',
    path: '/assets/domains',
    title: { zh: '网域列表', en: 'Domains' },
    menu: { group: 'assets' },
    component: lazyRouteComponent(domains, 'DomainList'),
  },
  {
    name: 'DomainCreate',
    path: '/assets/domains/create',
    title: { zh: '创建网域', en: 'Domain create' },
    activeMenu: '/assets/domains',
    component: domainForm,
  },
  {
    name: 'DomainUpdate',
    path: '/assets/domains/$id/update',
    title: { zh: '更新网域', en: 'Domain update' },
    activeMenu: '/assets/domains',
    component: domainForm,
  },
  {
    name: 'DomainDetail',
    path: '/assets/domains/$id',
    title: { zh: '网域详情', en: 'Domain detail' },
    activeMenu: '/assets/domains',
    component: lazyRouteComponent(domains, 'DomainDetail'),
  },
  {
    name: 'GatewayCreate',
    path: '/assets/gateways/create',
    title: { zh: '创建网关', en: 'Gateway create' },
    activeMenu: '/assets/domains',
    component: gatewayForm,
  },
  {
    name: 'GatewayUpdate',
    path: '/assets/gateways/$id/update',
    title: { zh: '更新网关', en: 'Gateway update' },
    activeMenu: '/assets/domains',
    component: gatewayForm,
  },
  {
    name: 'AdminUserList',
    path: '/assets/admin-users',
    title: { zh: '管理用户', en: 'Admin users' },
    menu: { group: 'assets' },
    component: lazyRouteComponent(adminUsers, 'AdminUserList'),
  },
  {
    name: 'AdminUserCreate',
    path: '/assets/admin-users/create',
    title: { zh: '创建管理用户', en: 'Admin user create' },
    activeMenu: '/assets/admin-users',
    component: adminUserForm,
  },
  {
    name: 'AdminUserUpdate',
    path: '/assets/admin-users/$id/update',
    title: { zh: '更新管理用户', en: 'Admin user update' },
    activeMenu: '/assets/admin-users',
    component: adminUserForm,
  },
  {
    name: 'AdminUserDetail',
    path: '/assets/admin-users/$id',
    title: { zh: '管理用户详情', en: 'Admin user detail' },
    activeMenu: '/assets/admin-users',
    component: lazyRouteComponent(adminUsers, 'AdminUserDetail'),
  },
  {
    name: 'SystemUserList',
    path: '/assets/system-users',
    title: { zh: '系统用户', en: 'System users' },
    menu: { group: 'assets' },
    component: lazyRouteComponent(systemUsers, 'SystemUserList'),
  },
  {
    name: 'SystemUserCreate',
    path: '/assets/system-users/create',
    title: { zh: '创建系统用户', en: 'System user create' },
    activeMenu: '/assets/system-users',
    component: systemUserForm,
  },
  {
    name: 'SystemUserUpdate',
    path: '/assets/system-users/$id/update',
    title: { zh: '更新系统用户', en: 'System user update' },
    activeMenu: '/assets/system-users',
    component: systemUserForm,
  },
  {
    name: 'SystemUserDetail',
    path: '/assets/system-users/$id',
    title: { zh: '系统用户详情', en: 'System user detail' },
    activeMenu: '/assets/system-users',
    component: lazyRouteComponent(systemUsers, 'SystemUserDetail'),
  },
  {
    name: 'LabelList',
    path: '/assets/labels',
    title: { zh: '标签管理', en: 'Labels' },
    menu: { group: 'assets' },
    component: lazyRouteComponent(labels, 'LabelList'),
  },
  { name: 'LabelCreate', path: '/assets/labels/create', title: { zh: '创建标签', en: 'Label create' }, activeMenu: '/assets/labels', component: labelForm },
  { name: 'LabelUpdate', path: '/assets/labels/$id/update', title: { zh: '更新标签', en: 'Label update' }, activeMenu: '/assets/labels', component: labelForm },
];
