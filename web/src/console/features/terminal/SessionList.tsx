import { allows, Permission, session } from '@sallyport/contract';
import { lazy, Suspense } from 'react';
import { t } from '../../../kit/i18n/index.ts';
import { openWindow, replayAddress, watchAddress } from '../../base/addresses.ts';
import { PageLink } from '../../base/navigation.tsx';
import { useSession } from '../../base/session.tsx';
import type { Column } from '../../resource/list/columns.tsx';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import type { RowAction } from '../../resource/list/RowActions.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { TabbedPage } from '../../resource/TabbedPage.tsx';
import { Clipped } from '../Clipped.tsx';
import { useBreakpoints } from '../useBreakpoints.ts';
import { Duration } from './Duration.tsx';
import { askToTerminate, downloadAddress, type Session } from './session-actions.ts';
import { words } from './words.ts';

// Shown on demand only, and its words are all the refusals there are.
const EndReason = lazy(() => import('./EndReason.tsx').then((module) => ({ default: module.EndReason })));

const LIVE = 5_000;
const SHORT_ID = 8;
const HISTORY_DAYS = 7;

const columnsFor = ({ narrow, phone }: ReturnType<typeof useBreakpoints>): readonly Column<Session>[] => [
  {
    name: 'id',
    // A phone has room for one column: who, and where.
    label: phone ? session.fields.user.label : words.id,
    width: 88,
    cell: ({ id, user, asset }) => (
      <>
        <PageLink to={`/terminal/sessions/${id}`} title={id} className={phone ? '' : 'mono'}>
          {phone ? <Clipped title={user} min={104} /> : id.slice(0, SHORT_ID)}
        </PageLink>
        {phone && <Clipped title={asset} min={104} />}
      </>
    ),
  },
  { name: 'user', hidden: phone, cell: ({ user }) => <Clipped title={user} min={76} /> },
  { name: 'asset', width: 120, hidden: phone, cell: ({ asset }) => <Clipped title={asset} min={84} /> },
  { name: 'system_user', width: 116, hidden: narrow, cell: ({ system_user: account }) => <Clipped title={account} min={84} /> },
  { name: 'remote_addr', mono: true, width: 110, hidden: narrow },
  // The same in nearly every row, while the room is needed for when and how long.
  { name: 'protocol', width: 90, hidden: true },
  { name: 'login_from', width: 120, hidden: true },
  { name: 'command_amount', width: 90, hidden: narrow },
  { name: 'date_start', hidden: phone },
  { name: 'duration', label: words.duration, width: 90, hidden: phone, cell: (row) => <Duration session={row} /> },
  { name: 'date_end', hidden: true },
  { name: 'replay_state', hidden: true },
  {
    name: 'end_reason',
    hidden: true,
    cell: (row) => (
      <Suspense>
        <EndReason session={row} />
      </Suspense>
    ),
  },
];

function Online() {
  const { role } = useSession();
  const mayTerminate = allows(role.current, Permission.ADMIN);
  return (
    <ResourceList<Session>
      source={session}
      columns={columnsFor(useBreakpoints())}
      base={{ is_finished: 0 }}
      refetchEvery={LIVE}
      emptyHint={t(words.emptyOnline)}
      extraActions={(row, refresh): RowAction[] => [
        ...(mayTerminate ? [{ key: 'terminate', label: t(words.terminate), danger: true, run: () => askToTerminate([row], refresh) }] : []),
        { key: 'monitor', label: t(words.monitor), disabled: !row.can_join, run: () => openWindow(watchAddress(row.id)) },
      ]}
      {...(mayTerminate && {
        bulkActions: (rows: readonly Session[], done: () => void) => [
          { key: 'terminate', label: t(words.terminateSelected), danger: true, run: () => askToTerminate(rows, async () => done()) },
        ],
      })}
    />
  );
}

function History() {
  return (
    <ResourceList<Session>
      source={session}
      columns={columnsFor(useBreakpoints())}
      base={{ is_finished: 1 }}
      days={HISTORY_DAYS}
      emptyHint={t(words.emptyHistory)}
      extraActions={(row) => [
        { key: 'replay', label: t(words.replay), disabled: !row.can_replay, run: () => openWindow(replayAddress(row.id)) },
        { key: 'download', label: t(words.download), disabled: !row.can_replay, run: () => location.assign(downloadAddress(row.id)) },
      ]}
    />
  );
}

/** Who is connected now, and who was. */
export function SessionList() {
  return (
    <>
      <PageHeader />
      <TabbedPage
        tabs={[
          { name: 'OnlineList', label: t(words.online), render: () => <Online /> },
          { name: 'OfflineList', label: t(words.history), render: () => <History /> },
        ]}
      />
    </>
  );
}
