import { Permission } from '@sallyport/contract';
import { lazyRouteComponent } from '@tanstack/react-router';
import { IconCircleCheck } from '../../kit/icons.ts';
import { REQUEST_ACCESS } from '../../kit/whom-to-ask/request-access.ts';
import type { Screen } from '../base/screen.ts';
import { resourceScreens } from './resource-screens.ts';

/** Auditors review emergency access, so every role can be an assignee. The server decides what each may do with a ticket. */
const EVERY_ROLE = Permission.USE | Permission.AUDIT;

/** Tickets: administrators answer them, users follow their own. The page of one ticket is open without a license, so that a sign-in can always be approved. */
export const ticketScreens: readonly Screen[] = [
  ...resourceScreens(
    'ticket',
    {
      title: { zh: '工单管理', en: 'Tickets' },
      list: lazyRouteComponent(() => import('../features/tickets/TicketList.tsx'), 'TicketList'),
      detail: lazyRouteComponent(
        () => import('../features/tickets/TicketDetail.tsx'),
        'TicketDetail',
      ),
    },
    { menu: { icon: IconCircleCheck }, alsoFor: EVERY_ROLE, licenseRequired: true },
  ).map((screen) =>
    screen.name === 'TicketDetail' ? { ...screen, licenseRequired: false } : screen,
  ),
  {
    name: 'RequestAccess',
    path: REQUEST_ACCESS,
    title: { zh: '申请访问权限', en: 'Request access' },
    alsoFor: EVERY_ROLE,
    licenseRequired: true,
    activeMenu: '/tickets/tickets',
    component: lazyRouteComponent(
      () => import('../features/tickets/request/RequestAccess.tsx'),
      'RequestAccess',
    ),
  },
];
