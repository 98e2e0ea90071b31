import { useIntersection } from '@mantine/hooks';
import {
  allows,
  isMarked,
  Permission,
  protocolOf,
  SESSION_MARKS,
  session,
} from '@sallyport/contract';
import { useState } from 'react';
import { formatDate } from '../../../kit/format/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconPlayerPlay } from '../../../kit/icons.ts';
import { SessionMark } from '../../../kit/session-marks/SessionMarks.tsx';
import { byWindow, replayAddress, watchAddress } from '../../base/addresses.ts';
import { useGo, usePath, useSearchRecord } from '../../base/navigation.tsx';
import { useSession } from '../../base/session.tsx';
import {
  Card,
  DetailCard,
  type Fact,
  type QuickAction,
  QuickActionsCard,
} from '../../resource/detail/Cards.tsx';
import { DetailColumns, DetailPage } from '../../resource/detail/DetailPage.tsx';
import { Moment } from '../../resource/list/table/Moment.tsx';
import { ObjectLink } from '../../resource/object/ObjectLink.tsx';
import { EvidenceDialog, evidenceWords as evidence } from '../evidence/index.ts';
import { Duration } from './Duration.tsx';
import { endReason } from './end-reasons.ts';
import { SessionGuests } from './guests/SessionGuests.tsx';
import { interruptions } from './interruptions.tsx';
import { interventionsIn } from './interventions-in.ts';
import { maskedSecrets } from './masked/masked-secrets.ts';
import styles from './RecordingPicture.module.css';
import { RecordingPicture } from './RecordingPicture.tsx';
import { SessionCommands } from './SessionCommands.tsx';
import { SessionLead } from './SessionLead.tsx';
import { SessionTimeline } from './SessionTimeline.tsx';
import { askToTerminate, downloadAddress, reportAddress, type Session } from './session-actions.ts';
import { words } from './words.ts';

const LIVE = 5_000;

/** The moment of the recording in the address, in whole seconds. */
const MOMENT = /^\d{1,7}$/;

/** The fields of a session that its detail shows, in order; rare ones appear only with a value. */
const factsOf = (row: Session): readonly Fact<Session>[] =>
  // Nothing is known about these facts in another product.
  allFactsOf(row).filter(
    (fact) => !row.imported_from || typeof fact !== 'string' || !UNKNOWN.has(fact),
  );

const UNKNOWN: ReadonlySet<string> = new Set(['second_factor', 'commands_denied', 'replay_state']);

const allFactsOf = (row: Session): readonly Fact<Session>[] => [
  'user',
  'asset',
  'system_user',
  'kind',
  'protocol',
  'login_from',
  'remote_addr',
  'second_factor',
  'command_amount',
  'commands_denied',
  'risk_level',
  'replay_state',
  {
    name: 'date_start',
    label: session.fields.date_start.label,
    value: (one) => <Moment date={one.date_start} exact />,
  },
  {
    name: 'date_end',
    label: session.fields.date_end.label,
    value: (one) => (one.date_end ? <Moment date={one.date_end} exact /> : null),
  },
  {
    name: 'duration',
    label: words.duration,
    value: (one) => <Duration session={one} />,
  },
  { name: 'gaps', label: session.fields.gaps.label, value: interruptions },
  ...(maskedSecrets(row)
    ? [
        {
          name: 'masked_secrets',
          label: session.fields.masked_secrets.label,
          value: maskedSecrets,
        },
      ]
    : []),
  ...SESSION_MARKS.filter(({ field }) => row[field]).map((mark) => ({
    name: mark.field,
    label: session.fields[mark.field].label,
    value: () => <SessionMark mark={mark} />,
  })),
  ...(row.waits_since && !row.is_finished ? (['waits_since'] as const) : []),
  ...(row.locked_by && !row.is_finished ? (['locked_by', 'lock_reason'] as const) : []),
  ...(row.requests
    ? [
        {
          name: 'requests',
          label: session.fields.requests.label,
          value: () =>
            row.requests?.map(({ id, name }) => (
              <ObjectLink key={id} resource="ticket" id={id}>
                {name}
              </ObjectLink>
            )),
        },
      ]
    : []),
  ...(row.old_algorithms ? (['old_algorithms'] as const) : []),
  ...(row.certificate_serial
    ? ([
        'certificate_serial',
        'certificate_key_id',
        'certificate_principals',
        'date_certificate_expires',
      ] as const)
    : []),
  {
    name: 'end_reason',
    label: session.fields.end_reason.label,
    value: endReason,
  },
];

/**
 * Returns the actions of a session: replay or end it, watch it, the report of its commands, and its
 * evidence, which `onEvidence` exports.
 */
function useSessionActions(onEvidence: (id: string) => void) {
  const { role, profile } = useSession();
  // The chain in the evidence contains rows of all organizations.
  const mayExport = allows(role.current, Permission.SUPER | Permission.AUDIT);
  const mayTerminate = allows(role.current, Permission.ADMIN);
  const report = (row: Session): QuickAction => ({
    key: 'report',
    title: t(words.commandReport),
    button: t(words.report),
    disabled: row.command_amount === 0,
    ...byWindow(reportAddress({ session_id: row.id })),
  });
  const finished = (row: Session): QuickAction[] => [
    {
      key: 'replay',
      title: t(words.replaySession),
      button: t(words.go),
      disabled: !row.can_replay,
      ...byWindow(replayAddress(row.id)),
    },
    {
      key: 'download',
      title: t(words.downloadReplay),
      button: t(words.download),
      disabled: !row.can_replay,
      run: () => location.assign(downloadAddress(row.id)),
    },
    // The chain does not prove what another product recorded.
    ...(mayExport && !row.imported_from
      ? [
          {
            key: 'evidence',
            title: t(evidence.exportEvidence),
            button: t(evidence.export),
            run: () => onEvidence(row.id),
          },
        ]
      : []),
  ];
  const running = (row: Session, refresh: () => Promise<void>): QuickAction[] => [
    ...(mayTerminate
      ? [
          ...interventionsIn(row, refresh),
          {
            key: 'terminate',
            title: t(words.terminateSession),
            button: t(words.terminate),
            danger: true,
            run: () => askToTerminate([row], profile.id, refresh),
          },
        ]
      : []),
    {
      key: 'monitor',
      title: t(words.monitorSession),
      button: t(words.monitor),
      disabled: !row.can_join,
      ...byWindow(watchAddress(row.id)),
    },
  ];
  return (row: Session, refresh: () => Promise<void>): readonly QuickAction[] => [
    ...(row.is_finished ? finished(row) : running(row, refresh)),
    report(row),
  ];
}

/** Components of the features about the ticket that opened a session. */
function OpenedBy({ ticket }: { readonly ticket: string | undefined }) {
  const { parts } = useSession();
  if (ticket === undefined) return null;
  return parts.map(
    ({ feature, openedSession: Part }) => Part && <Part key={feature} ticket={ticket} />,
  );
}

/** One session: facts, recording and commands, with actions to watch, end or replay it. */
export function SessionDetail() {
  const [exported, setExported] = useState<string>();
  const actionsOf = useSessionActions(setExported);
  const search = useSearchRecord();
  const path = usePath();
  const go = useGo();
  const at = MOMENT.test(search.at ?? '') ? Number(search.at) : undefined;
  // The address holds the moment, so that users can share it.
  const move = (second: number) =>
    void go(path, { search: { ...search, at: String(Math.floor(second)) }, replace: true });

  return (
    <DetailPage<Session>
      source={session}
      refetchEvery={LIVE}
      nameOf={({ user, asset, date_start }) =>
        `${user} → ${asset} · ${formatDate(date_start).slice(0, 16)}`
      }
      lead={(row) => <SessionLead session={row} />}
      tabs={(row, { refresh }) => [
        {
          name: 'SessionDetailCard',
          label: t(words.sessionDetail),
          render: () => (
            <>
              <DetailColumns
                rightFirst
                left={<DetailCard source={session} object={row} facts={factsOf(row)} />}
                right={
                  <>
                    {row.can_replay && (
                      <RecordingPreview
                        session={row.id}
                        kind={
                          protocolOf(row.protocol)?.sessionKind === 'desktop'
                            ? 'desktop'
                            : 'terminal'
                        }
                        at={at}
                        onMove={move}
                      />
                    )}
                    {isMarked(row) && <OpenedBy ticket={row.requests?.[0]?.id} />}
                    <QuickActionsCard actions={actionsOf(row, refresh)} />
                    {exported !== undefined && (
                      <EvidenceDialog session={exported} onClose={() => setExported(undefined)} />
                    )}
                  </>
                }
              />
              <SessionGuests session={row} />
              <SessionTimeline session={row} onMoment={move} />
              <SessionCommands session={row} onMoment={move} />
            </>
          ),
        },
      ]}
    />
  );
}

interface Props {
  readonly session: string;
  readonly kind: 'terminal' | 'desktop';
  readonly at: number | undefined;
  readonly onMove: (second: number) => void;
}

/**
 * The recording of a session at one moment. Loads the recording and its renderer when the card
 * becomes visible.
 */
function RecordingPreview(props: Props) {
  const [wasSeen, setWasSeen] = useState(false);
  const { ref, entry } = useIntersection();
  if (entry?.isIntersecting && !wasSeen) setWasSeen(true);
  const room = (
    <>
      <div className={styles.stage} />
      <div className={styles.controls} />
    </>
  );
  return (
    <Card title={t(words.recording)} icon={<IconPlayerPlay size={16} />}>
      <div ref={ref}>{wasSeen ? <RecordingPicture {...props} /> : room}</div>
    </Card>
  );
}
