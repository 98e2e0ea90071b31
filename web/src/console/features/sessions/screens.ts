import { Permission } from '@sallyport/contract';
import { lazyRouteComponent as page } from '@tanstack/react-router';
import type { Screen } from '../../base/screen.ts';

/** Sessions and their commands. */
export const sessionScreens: readonly Screen[] = [
  {
    name: 'SessionList',
    resource: 'session',
    path: '/terminal/session',
    title: { zh: '会话管理', en: 'Sessions' },
    otherNames: [
      { zh: '在线会话', en: 'Live sessions' },
      { zh: '历史会话', en: 'History' },
    ],
    permissions: Permission.AUDIT,
    menu: { group: 'connections' },
    component: page(() => import('./SessionList.tsx'), 'SessionList'),
  },
  {
    name: 'CommandList',
    path: '/terminal/command',
    title: { zh: '命令记录', en: 'Commands' },
    permissions: Permission.AUDIT,
    menu: { group: 'connections' },
    component: page(() => import('./CommandList.tsx'), 'CommandList'),
  },
  {
    name: 'SessionDetail',
    resource: 'session',
    path: '/terminal/sessions/$id',
    title: { zh: '会话详情', en: 'Session detail' },
    permissions: Permission.AUDIT,
    activeMenu: '/terminal/session',
    component: page(() => import('./SessionDetail.tsx'), 'SessionDetail'),
  },
];
