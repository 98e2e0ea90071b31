import { Permission } from '@sallyport/contract';
import { lazyRouteComponent as page } from '@tanstack/react-router';
import type { Screen } from '../../base/screen.ts';

/** File transfers. */
export const transferScreens: readonly Screen[] = [
  {
    name: 'FtpLog',
    path: '/audits/ftp-log',
    title: { zh: '文件传输日志', en: 'File transfer logs' },
    permissions: Permission.AUDIT,
    menu: { group: 'connections' },
    component: page(() => import('./FtpLog.tsx'), 'FtpLog'),
  },
];

/** Sign-ins. */
export const signInLogScreens: readonly Screen[] = [
  {
    name: 'LoginLog',
    path: '/audits/login-log',
    title: { zh: '登录日志', en: 'Sign-in log' },
    otherNames: [
      { zh: '登录记录', en: 'Login logs' },
      { zh: '审计', en: 'Audits' },
    ],
    permissions: Permission.AUDIT,
    menu: { group: 'audit' },
    component: page(() => import('./LoginLog.tsx'), 'LoginLog'),
  },
];

/** Logs of operations, password changes and batch commands. */
export const auditScreens: readonly Screen[] = [
  {
    name: 'OperateLog',
    path: '/audits/operate-log',
    title: { zh: '操作日志', en: 'Operation logs' },
    permissions: Permission.AUDIT,
    menu: { group: 'audit' },
    component: page(() => import('./OperateLog.tsx'), 'OperateLog'),
  },
  {
    name: 'PasswordChangeLog',
    path: '/audits/password-change-log',
    title: { zh: '改密日志', en: 'Password change logs' },
    permissions: Permission.AUDIT,
    menu: { group: 'audit' },
    component: page(() => import('./LoginLog.tsx'), 'PasswordChangeLog'),
  },
  {
    name: 'CommandExecutionLog',
    path: '/audits/command-execution-log',
    title: { zh: '批量命令日志', en: 'Batch command logs' },
    permissions: Permission.AUDIT,
    menu: { group: 'audit' },
    component: page(() => import('./CommandExecutionLog.tsx'), 'CommandExecutionLog'),
  },
];
