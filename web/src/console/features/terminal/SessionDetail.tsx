import { allows, type command, command as commandResource, Permission, type Row, session } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { openWindow, replayAddress, watchAddress } from '../../base/addresses.ts';
import { useSession } from '../../base/session.tsx';
import { DetailCard, type QuickAction, QuickActionsCard } from '../../resource/detail/Cards.tsx';
import { DetailColumns, DetailPage } from '../../resource/detail/DetailPage.tsx';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { Clipped } from '../Clipped.tsx';
import { useBreakpoints } from '../useBreakpoints.ts';
import { commandDate, commandOutput } from './command-parts.tsx';
import { Duration } from './Duration.tsx';
import { endReason } from './end-reasons.ts';
import { askToTerminate, downloadAddress, type Session } from './session-actions.ts';
import { words } from './words.ts';

const LIVE = 5_000;

/** One session: its facts, its commands, and watching, ending or replaying it. */
export function SessionDetail() {
  const { role } = useSession();
  const { phone } = useBreakpoints();
  const mayTerminate = allows(role.current, Permission.ADMIN);

  const finished = (row: Session): QuickAction[] => [
    { key: 'replay', title: t(words.replaySession), button: t(words.go), disabled: !row.can_replay, run: () => openWindow(replayAddress(row.id)) },
    {
      key: 'download',
      title: t(words.downloadReplay),
      button: t(words.download),
      disabled: !row.can_replay,
      run: () => location.assign(downloadAddress(row.id)),
    },
  ];
  const running = (row: Session, refresh: () => Promise<void>): QuickAction[] => [
    ...(mayTerminate
      ? [{ key: 'terminate', title: t(words.terminateSession), button: t(words.terminate), danger: true, run: () => askToTerminate([row], refresh) }]
      : []),
    { key: 'monitor', title: t(words.monitorSession), button: t(words.monitor), disabled: !row.can_join, run: () => openWindow(watchAddress(row.id)) },
  ];

  return (
    <DetailPage<Session>
      source={session}
      refetchEvery={LIVE}
      tabs={(row, { refresh }) => [
        {
          name: 'SessionDetailCard',
          label: t(words.sessionDetail),
          render: () => (
            <DetailColumns
              left={
                <DetailCard
                  source={session}
                  object={row}
                  facts={[
                    'user',
                    'asset',
                    'system_user',
                    'protocol',
                    'login_from',
                    'remote_addr',
                    'command_amount',
                    'replay_state',
                    'date_start',
                    'date_end',
                    { name: 'duration', label: words.duration, value: (one) => <Duration session={one} /> },
                    { name: 'end_reason', label: session.fields.end_reason.label, value: endReason },
                  ]}
                />
              }
              right={<QuickActionsCard actions={row.is_finished ? finished(row) : running(row, refresh)} />}
            />
          ),
        },
        {
          name: 'SessionCommandList',
          label: t(words.commands),
          render: () => (
            <ResourceList<Row<typeof command>>
              source={commandResource}
              embedded
              hasSearch={false}
              base={{ session_id: row.id }}
              columns={[
                { name: 'input', mono: true, cell: ({ input }) => <Clipped title={input} min={160} /> },
                { name: 'risk_level', width: 120, hidden: phone },
                { name: 'timestamp', width: 160, hidden: phone, cell: commandDate },
              ]}
              expand={commandOutput}
              {...(!row.is_finished && { refetchEvery: LIVE })}
            />
          ),
        },
      ]}
    />
  );
}
