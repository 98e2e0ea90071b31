import { NotificationBell } from '../features/notifications/NotificationBell.tsx';
import { TicketCounter } from './TicketCounter.tsx';

/** News in the header: tickets that wait for the user, and notifications. */
export function HeaderNews() {
  return (
    <>
      <TicketCounter />
      <NotificationBell />
    </>
  );
}
