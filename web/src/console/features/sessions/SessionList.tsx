import { allows, Permission, SESSION_MARKS, session } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { lazyComponent } from '../../../kit/lazy-component.tsx';
import { ALL_SESSIONS, byWindow, replayAddress, watchAddress } from '../../base/addresses.ts';
import { useSession } from '../../base/session.tsx';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import type { RowAction } from '../../resource/list/table/RowActions.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { TabbedPage } from '../../resource/TabbedPage.tsx';
import { useBreakpoints } from '../useBreakpoints.ts';
import { askToTerminate, downloadAddress, type Session } from './session-actions.ts';
import { sessionColumns } from './session-columns.tsx';
import { words } from './words.ts';

const ScreenSearch = lazyComponent(() =>
  import('./screens/ScreenSearch.tsx').then((module) => module.ScreenSearch),
);

const LIVE = 5_000;

const HISTORY_DAYS = 7;

/** Marked sessions come first, because reviewers should watch them. */
const LIVE_FIRST = {
  is_finished: 0,
  order: [...SESSION_MARKS.map(({ field }) => `-${field}`), '-date_start'].join(),
};

// No link on the row: cells have their own links.
const nowhere = () => undefined;

function Online() {
  const { role, profile } = useSession();
  const mayTerminate = allows(role.current, Permission.ADMIN);
  return (
    <ResourceList<Session>
      source={session}
      link={nowhere}
      columns={sessionColumns(useBreakpoints(), true)}
      base={LIVE_FIRST}
      refetchEvery={LIVE}
      emptyTitle={t(words.noLive)}
      emptyHint={t(words.emptyOnline)}
      extraActions={(row, refresh): RowAction[] => [
        ...(mayTerminate
          ? [
              {
                key: 'terminate',
                label: t(words.terminate),
                danger: true,
                shortcut: 't',
                run: () => askToTerminate([row], profile.id, refresh),
              },
            ]
          : []),
        {
          key: 'monitor',
          label: t(words.monitor),
          disabled: !row.can_join,
          ...byWindow(watchAddress(row.id)),
        },
      ]}
      {...(mayTerminate && {
        bulkActions: (rows: readonly Session[], done: () => void) => [
          {
            key: 'terminate',
            label: t(words.terminateSelected),
            danger: true,
            run: () => askToTerminate(rows, profile.id, async () => done()),
          },
        ],
      })}
    />
  );
}

/** Actions on an ended session. */
const recorded = (row: Session): RowAction[] => [
  {
    key: 'replay',
    label: t(words.replay),
    disabled: !row.can_replay,
    ...byWindow(replayAddress(row.id)),
  },
  {
    key: 'download',
    label: t(words.download),
    disabled: !row.can_replay,
    run: () => location.assign(downloadAddress(row.id)),
  },
];

function History() {
  return (
    <ResourceList<Session>
      source={session}
      link={nowhere}
      columns={sessionColumns(useBreakpoints(), false)}
      base={{ is_finished: 1 }}
      days={HISTORY_DAYS}
      emptyHint={t(words.emptyHistory)}
      extraActions={recorded}
    />
  );
}

/** Live and ended sessions; the target of links from the dashboard. */
function All() {
  return (
    <ResourceList<Session>
      source={session}
      link={nowhere}
      columns={sessionColumns(useBreakpoints(), false)}
      days={HISTORY_DAYS}
      emptyHint={t(words.emptyHistory)}
      extraActions={recorded}
    />
  );
}

/** Tabs of live, ended and all sessions, and the search over their screens. */
export function SessionList() {
  return (
    <>
      <PageHeader />
      <TabbedPage
        tabs={[
          { name: 'OnlineList', label: t(words.online), render: () => <Online /> },
          { name: 'OfflineList', label: t(words.history), render: () => <History /> },
          { name: ALL_SESSIONS, label: t(words.all), render: () => <All /> },
          { name: 'ScreenSearch', label: t(words.screens), render: () => <ScreenSearch /> },
        ]}
      />
    </>
  );
}
