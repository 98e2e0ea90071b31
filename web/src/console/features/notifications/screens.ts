import { Permission } from '@sallyport/contract';
import { lazyRouteComponent as page } from '@tanstack/react-router';
import type { Screen } from '../../base/screen.ts';
import { resourceScreens } from '../../resource/resource-screens.ts';

/** Notifications of the user. */
export const notificationScreens: readonly Screen[] = [
  ...resourceScreens(
    'notification',
    {
      title: { zh: '通知', en: 'Notifications' },
      list: page(() => import('./NotificationList.tsx'), 'NotificationList'),
    },
    { alsoFor: Permission.USE | Permission.AUDIT },
  ),
];
