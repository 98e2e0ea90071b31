import { Permission } from '@sallyport/contract';
import { lazyRouteComponent as page } from '@tanstack/react-router';
import type { Screen } from '../../base/screen.ts';

/** Deleted objects until their period ends. */
export const deletedObjectScreens: readonly Screen[] = [
  {
    name: 'DeletedObjects',
    resource: 'deleted_object',
    path: '/deleted-objects',
    title: { zh: '最近删除', en: 'Recently deleted' },
    permissions: Permission.ADMIN,
    menu: { group: 'system' },
    component: page(() => import('./DeletedObjects.tsx'), 'DeletedObjects'),
  },
];
