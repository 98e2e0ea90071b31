import { Button } from '@mantine/core';
import { type Row, ticket } from '@sallyport/contract';
import { useEffect, useState } from 'react';
import { REQUEST_ACCESS } from '../../../kit/access-request/request-access.ts';
import { t } from '../../../kit/i18n/index.ts';
import { useGo, useGoButton, usePath, useSearchRecord } from '../../base/navigation.tsx';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { YesNo } from '../../resource/list/table/columns.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { TabbedPage } from '../../resource/TabbedPage.tsx';
import { useCount } from '../../resource/useCount.ts';
import { useBreakpoints } from '../useBreakpoints.ts';
import { useRowDecisions } from './decide/useRowDecisions.ts';
import { words } from './words.ts';

type Ticket = Row<typeof ticket>;

/**
 * Adds the filter for open tickets, unless the address has filters. Returns false until the address
 * has changed.
 */
function useOpenFirst(): boolean {
  const search = useSearchRecord();
  const path = usePath();
  const go = useGo();
  const [waits, setWaits] = useState(() =>
    Object.keys(search).every((name) => name === 'activeTab'),
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the tab is opened
  useEffect(() => {
    // The user may have left the page while its counts were read.
    if (waits && location.pathname.endsWith(path))
      void go(path, { search: { ...search, status: 'open' }, replace: true }).then(() =>
        setWaits(false),
      );
  }, []);
  return !waits;
}

/** Lists the user's own tickets, or the tickets assigned to the user. */
function Tickets({ assign }: { readonly assign: 0 | 1 }) {
  const { phone, narrow } = useBreakpoints();
  const decide = useRowDecisions();
  const { activeTab, ...filters } = useSearchRecord();
  const isOpenOnly = filters.status === 'open' && Object.keys(filters).length === 1;
  if (!useOpenFirst()) return null;
  return (
    <ResourceList<Ticket>
      source={ticket}
      base={{ assign }}
      hasImport={false}
      hasExport={false}
      columns={[
        { name: 'title', essential: true },
        { name: 'user_display', hidden: phone },
        { name: 'type_display', width: 170, hidden: phone },
        {
          name: 'status',
          width: 110,
          cell: ({ status, action, action_display: answer }) => (
            <YesNo
              value={status === 'open' || action === 'approve'}
              yes={t(status === 'open' ? words.open : words.closed)}
              no={action ? answer : t(words.closed)}
            />
          ),
        },
        { name: 'assignee_display', hidden: true },
        { name: 'date_created', hidden: narrow },
      ]}
      emptyTitle={t(assign === 1 ? words.noAssigned : words.noMine)}
      noMatchTitle={isOpenOnly ? t(words.noneOpen) : undefined}
      {...(assign === 1 && { extraActions: decide })}
    />
  );
}

function TicketTabs({ waiting }: { readonly waiting: number }) {
  // Chosen once: deciding the last ticket must not close its tab.
  const [first] = useState(waiting > 0 ? 'AssignedTicketList' : 'MyTicketList');
  return (
    <TabbedPage
      first={first}
      tabs={[
        { name: 'MyTicketList', label: t(words.mine), render: () => <Tickets assign={0} /> },
        {
          name: 'AssignedTicketList',
          label: t(words.assigned),
          count: waiting,
          render: () => <Tickets assign={1} />,
        },
      ]}
    />
  );
}

/** Shows the user's tickets, and those that wait for the user's answer. Opens the tab with work. */
export function TicketList() {
  const goButton = useGoButton();
  const waiting = useCount(ticket, { assign: 1, status: 'open' });
  return (
    <>
      <PageHeader hint={t(words.hint)}>
        <Button variant="default" {...goButton(REQUEST_ACCESS)}>
          {t(words.request)}
        </Button>
      </PageHeader>
      {waiting !== undefined && <TicketTabs waiting={waiting ?? 0} />}
    </>
  );
}
