import { Permission } from '@sallyport/contract';
import { lazyRouteComponent as page } from '@tanstack/react-router';
import type { Screen } from '../../base/screen.ts';
import { resourceScreens } from '../../resource/resource-screens.ts';

const eventReceivers = () => import('./EventReceivers.tsx');

/** Receivers of events. */
export const eventScreens: readonly Screen[] = [
  ...resourceScreens(
    'event_receiver',
    {
      title: { zh: '事件接收端', en: 'Event receivers' },
      list: page(eventReceivers, 'EventReceiverList'),
      form: page(eventReceivers, 'EventReceiverForm'),
      detail: page(eventReceivers, 'EventReceiverDetail'),
    },
    { menu: { group: 'system' }, permissions: Permission.SUPER | Permission.ADMIN },
  ),
];
