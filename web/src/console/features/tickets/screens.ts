import { Permission } from '@sallyport/contract';
import { lazyRouteComponent as page } from '@tanstack/react-router';
import { REQUEST_ACCESS } from '../../../kit/access-request/request-access.ts';
import { IconCircleCheck } from '../../../kit/icons.ts';
import type { Screen } from '../../base/screen.ts';
import { resourceScreens } from '../../resource/resource-screens.ts';

/**
 * Any role can be an assignee: auditors review instant access. The server checks rights per
 * ticket.
 */
const EVERY_ROLE = Permission.USE | Permission.AUDIT;

/**
 * Administrators answer tickets, users follow their own. The page of one ticket needs no license:
 * approval of sign-ins must always work.
 */
export const ticketScreens: readonly Screen[] = [
  ...resourceScreens(
    'ticket',
    {
      title: { zh: '工单管理', en: 'Tickets' },
      otherNames: [{ zh: '申请与审批', en: 'Requests' }],
      list: page(() => import('./TicketList.tsx'), 'TicketList'),
      detail: page(() => import('./TicketDetail.tsx'), 'TicketDetail'),
    },
    {
      menu: { group: 'access', icon: IconCircleCheck },
      alsoFor: EVERY_ROLE,
      licenseRequired: true,
    },
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
    component: page(() => import('./request/RequestAccess.tsx'), 'RequestAccess'),
  },
];
