import { Permission } from '@sallyport/contract';
import { lazyRouteComponent } from '@tanstack/react-router';
import { terminalAddress } from '../start/addresses.ts';
import { words } from '../words.ts';
import type { Screen } from './screen.ts';

/** Sessions, commands, and the records of what people did. */
export const sessionScreens: readonly Screen[] = [
  {
    name: 'SessionList',
    path: '/terminal/session',
    title: { zh: '会话管理', en: 'Sessions' },
    permissions: Permission.AUDIT,
    menu: { group: 'terminal' },
    component: lazyRouteComponent(() => import('../pages/terminal/SessionList.tsx'), 'SessionList'),
  },
  {
    name: 'CommandList',
    path: '/terminal/command',
    title: { zh: '命令记录', en: 'Commands' },
    permissions: Permission.AUDIT,
    menu: { group: 'terminal' },
    component: lazyRouteComponent(() => import('../pages/terminal/CommandList.tsx'), 'CommandList'),
  },
  {
    name: 'SessionDetail',
    path: '/terminal/sessions/$id',
    title: { zh: '会话详情', en: 'Sessions detail' },
    permissions: Permission.AUDIT,
    activeMenu: '/terminal/session',
    component: lazyRouteComponent(() => import('../pages/terminal/SessionDetail.tsx'), 'SessionDetail'),
  },
  { name: 'WebTerminal', path: '/terminal/luna', title: words.webTerminal, menu: { group: 'terminal' }, opens: () => terminalAddress() },
  {
    name: 'LoginLog',
    path: '/audits/login-log',
    title: { zh: '登录日志', en: 'Login logs' },
    permissions: Permission.AUDIT,
    menu: { group: 'audits' },
    component: lazyRouteComponent(() => import('../pages/audits/LoginLog.tsx'), 'LoginLog'),
  },
  {
    name: 'OperateLog',
    path: '/audits/operate-log',
    title: { zh: '操作日志', en: 'Operation logs' },
    permissions: Permission.AUDIT,
    menu: { group: 'audits' },
    component: lazyRouteComponent(() => import('../pages/audits/OperateLog.tsx'), 'OperateLog'),
  },
  {
    name: 'PasswordChangeLog',
    path: '/audits/password-change-log',
    title: { zh: '改密日志', en: 'Password update logs' },
    permissions: Permission.AUDIT,
    menu: { group: 'audits' },
    component: lazyRouteComponent(() => import('../pages/audits/PasswordChangeLog.tsx'), 'PasswordChangeLog'),
  },
];
