import { Badge, UnstyledButton } from '@mantine/core';
import { t } from '../../kit/i18n/index.ts';
import { IconCircleCheck } from '../../kit/icons.ts';
import { useGoButton } from '../base/navigation.tsx';
import { pagesOf, summaryNamed } from '../base/resources.ts';
import { NotificationBell } from '../features/notifications/index.ts';
import { useCount } from '../resource/useCount.ts';
import { words } from './words.ts';

const COUNTER_STYLE = {
  display: 'inline-flex',
  gap: 4,
  alignItems: 'center',
  height: 34,
  padding: '0 6px',
  color: 'var(--mantine-color-dimmed)',
} as const;
const ASSIGNED = { activeTab: 'AssignedTicketList' };

/** Counts tickets that wait for the user, updated by the live channel; renders nothing at 0. */
function TicketCounter() {
  const count = useCount(summaryNamed('ticket'), { assign: 1, status: 'open' });
  const goButton = useGoButton();
  if (!count) return null;
  return (
    <UnstyledButton
      style={COUNTER_STYLE}
      {...goButton(pagesOf('ticket').list, { search: ASSIGNED })}
      aria-label={t(words.ticketsWaiting, { count })}
    >
      <IconCircleCheck size={18} aria-hidden="true" />
      <Badge size="sm" color="red" circle={count < 10} aria-hidden="true">
        {count}
      </Badge>
    </UnstyledButton>
  );
}

/** News in the header: tickets that wait for the user, and notifications. */
export function HeaderNews() {
  return (
    <>
      <TicketCounter />
      <NotificationBell />
    </>
  );
}
