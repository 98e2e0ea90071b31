import { Anchor, Box, Group, Switch, Text } from '@mantine/core';
import {
  command,
  ftpLog,
  isDeclined,
  type LocalText,
  operateLog,
  type SessionTimeline as Timeline,
  type TimelineEntry,
} from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { type PointerEvent, useState } from 'react';
import { api } from '../../../kit/api.ts';
import { clock, formatDuration } from '../../../kit/format/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconClock } from '../../../kit/icons.ts';
import { replayAddress } from '../../base/addresses.ts';
import { Card } from '../../resource/detail/Cards.tsx';
import { choiceText } from '../../resource/list/table/columns.tsx';
import { LEAD_SECONDS } from './ReplayFromHere.tsx';
import { Risk } from './Risk.tsx';
import styles from './SessionTimeline.module.css';
import type { Session } from './session-actions.ts';
import { words } from './words.ts';

const LIVE = 5_000;

const PRESENCE: Readonly<Record<string, LocalText>> = {
  waits: words.presenceWaits,
  passes: words.presencePasses,
  joined: words.presenceJoined,
  left: words.presenceLeft,
};

const NOTHING: Timeline = { seconds: 0, entries: [], left_out: 0 };

/** The mark of a timeline entry. */
const markOf = ({ kind, risk_level: risk, is_success: isSuccess, verdict }: TimelineEntry) =>
  (risk > 0 || !isSuccess) && !isDeclined(verdict) ? 'danger' : kind;

/** Returns true if an entry is a dangerous command. Older servers logged declined ones as such. */
const isDangerous = ({ risk_level: risk, verdict }: TimelineEntry) =>
  risk > 0 && !isDeclined(verdict);

/** Returns true if an entry is more than an ordinary command. */
const isNotable = (entry: TimelineEntry) => markOf(entry) !== 'command' || entry.verdict !== 'none';

/** A timeline as one sentence, the text alternative of its picture. */
function summaryOf({ seconds, entries, left_out: leftOut }: Timeline): string {
  const of = (kind: TimelineEntry['kind']) => entries.filter((entry) => entry.kind === kind);
  const idle = of('idle').reduce((sum, entry) => sum + entry.seconds, 0);
  const dangerous = entries.filter(isDangerous).length;
  const parts = [
    t(words.timelineCommands, { count: of('command').length }),
    ...(dangerous > 0 ? [t(words.timelineDangerous, { count: dangerous })] : []),
    ...(of('file').length > 0 ? [t(words.timelineFiles, { count: of('file').length })] : []),
    ...(of('intervention').length > 0
      ? [t(words.timelineInterventions, { count: of('intervention').length })]
      : []),
    ...(of('interruption').length > 0
      ? [t(words.timelineInterruptions, { count: of('interruption').length })]
      : []),
    ...(idle > 0
      ? [
          t(words.timelineIdle, {
            duration: formatDuration(idle),
            share: Math.round((idle / Math.max(seconds, 1)) * 100),
          }),
        ]
      : []),
    ...(leftOut > 0 ? [t(words.timelineLeftOut, { count: leftOut })] : []),
  ];
  return parts.join(' · ');
}

interface Props {
  readonly session: Session;
  /** Shows the screen of the session at a second. */
  readonly onMoment: (second: number) => void;
}

/**
 * Events of a session, as a bar and as a list in order; each entry links to its moment in the
 * replay.
 */
export function SessionTimeline({ session, onMoment }: Props) {
  const [onlyNotable, setOnlyNotable] = useState(false);
  const { data, isError } = useQuery({
    queryKey: ['session-timeline', session.id, session.is_finished],
    queryFn: ({ signal }) =>
      api.get<Timeline>(`terminal/sessions/${session.id}/timeline/`, { signal, quiet: true }),
    refetchInterval: session.is_finished ? false : LIVE,
  });
  const entries = data?.entries.filter((entry) => !onlyNotable || isNotable(entry)) ?? [];
  return (
    <Box mt={20}>
      <Card title={t(words.timeline)} icon={<IconClock size={16} />}>
        <div className={styles.body}>
          <Bar timeline={data ?? NOTHING} {...(session.can_replay && { onMoment })} />
          <Group justify="space-between" gap="xs" my={8}>
            <Text fz="sm">{isError ? t(words.timelineFailed) : data ? summaryOf(data) : ' '}</Text>
            <Switch
              size="xs"
              label={t(words.onlyNotable)}
              checked={onlyNotable}
              onChange={(event) => setOnlyNotable(event.currentTarget.checked)}
            />
          </Group>
          <Box
            component="ol"
            className={styles.list ?? ''}
            tabIndex={0}
            aria-label={t(words.timeline)}
          >
            {entries.map((entry) => (
              <Entry
                key={`${entry.kind} ${entry.at} ${entry.text}`}
                entry={entry}
                session={session}
              />
            ))}
          </Box>
        </div>
      </Card>
    </Box>
  );
}

/** The position of events in the session. Screen readers use the list instead. */
function Bar({
  timeline,
  onMoment,
}: {
  readonly timeline: Timeline;
  readonly onMoment?: Props['onMoment'];
}) {
  const length = Math.max(timeline.seconds, 1);
  const share = (seconds: number) => `${(Math.min(1, seconds / length) * 100).toFixed(3)}%`;
  const show = ({ clientX, currentTarget }: PointerEvent<HTMLDivElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    onMoment?.(Math.max(0, ((clientX - left) / Math.max(width, 1)) * length));
  };
  return (
    <div
      className={styles.bar}
      data-moves={onMoment !== undefined || undefined}
      aria-hidden="true"
      onPointerUp={show}
    >
      {timeline.entries.map((entry) => (
        <span
          key={`${entry.kind} ${entry.at} ${entry.text}`}
          className={styles.mark}
          data-mark={markOf(entry)}
          style={{
            left: share(entry.at),
            ...(entry.seconds > 0 && { width: share(entry.seconds) }),
          }}
        />
      ))}
    </div>
  );
}

function Entry({ entry, session }: { readonly entry: TimelineEntry; readonly session: Session }) {
  const time = clock(entry.at);
  return (
    <li className={styles.entry}>
      <span className="mono">
        {session.can_replay ? (
          <Anchor
            fz="inherit"
            href={replayAddress(session.id, entry.at - LEAD_SECONDS)}
            target="_blank"
            rel="noopener"
            aria-label={t(words.replayFrom, { time })}
          >
            {time}
          </Anchor>
        ) : (
          time
        )}
      </span>
      <span className={styles.dot} data-mark={markOf(entry)} aria-hidden="true" />
      <span className={styles.text}>
        <EntryText entry={entry} />
      </span>
    </li>
  );
}

function EntryText({ entry }: { readonly entry: TimelineEntry }) {
  const { kind, text, seconds, is_success: isSuccess } = entry;
  const duration = formatDuration(Math.max(seconds, 1.001));
  if (kind === 'idle') return t(words.idleFor, { duration });
  if (kind === 'interruption') {
    const origin = text ? ` · ${t(words.backFrom, { address: text })}` : '';
    return `${t(words.interruptedFor, { duration })}${origin}`;
  }
  if (kind === 'intervention')
    return (
      <>
        <b>{choiceText(operateLog.fields.action, entry.operate ?? '')}</b> · {text}
      </>
    );
  if (kind === 'presence')
    return (
      <>
        <b>{t(PRESENCE[entry.operate ?? ''] ?? words.presenceWaits)}</b>
        {text && ` · ${text}`}
      </>
    );
  if (kind === 'file') {
    return (
      <>
        {choiceText(ftpLog.fields.operate, entry.operate ?? '')}{' '}
        <span className="mono">{text}</span>
        {!isSuccess && <b className={styles.failed}> · {t(words.notDone)}</b>}
      </>
    );
  }
  return (
    <>
      <span className="mono">{text}</span>
      {entry.risk_level === 0 && !isSuccess && (
        <b className={styles.failed}> · {t(words.failed)}</b>
      )}
      {isDangerous(entry) && (
        <>
          {' · '}
          <Risk level={entry.risk_level} denied={!isSuccess} />
        </>
      )}
      {entry.verdict === 'none' ? null : ` · ${choiceText(command.fields.verdict, entry.verdict)}`}
    </>
  );
}
