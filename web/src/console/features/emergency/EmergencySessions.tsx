import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import type { EmergencySession } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { LiveMark } from '../../../kit/session-marks/SessionMarks.tsx';
import { replayAddress, watchAddress } from '../../base/addresses.ts';
import { Moment } from '../../resource/list/table/Moment.tsx';
import { ObjectLink } from '../../resource/object/ObjectLink.tsx';
import { words } from './words.ts';

interface LineProps {
  readonly session: EmergencySession;
  /** True if the caller may watch and replay the session. */
  readonly canSee: boolean;
  /** True if the caller must open the recording for the review. */
  readonly isReview: boolean;
}

/** A session with links to its live screen or its recording, each in a new window. */
function SessionLine({ session, canSee, isReview }: LineProps) {
  const { id, can_join: canJoin, can_replay: canReplay, is_finished: finished, opened } = session;
  return (
    <Group gap="xs" component="li">
      {canSee ? (
        <ObjectLink resource="session" id={id}>
          <Moment date={session.date_start} exact />
        </ObjectLink>
      ) : (
        <Moment date={session.date_start} exact />
      )}
      <Text fz="sm">{session.system_user}</Text>
      {!finished && <LiveMark />}
      {canSee && canJoin && (
        <Anchor fz="sm" href={watchAddress(id)} target="_blank" rel="noopener">
          {t(words.watch)}
        </Anchor>
      )}
      {canSee && canReplay && (
        <Anchor fz="sm" href={replayAddress(id)} target="_blank" rel="noopener">
          {t(words.replay)}
        </Anchor>
      )}
      {finished && !canReplay && (
        <Text fz="sm" c="dimmed">
          {t(words.noRecording)}
        </Text>
      )}
      {opened ? (
        <Text fz="sm" c="dimmed">
          {t(words.seen)}
        </Text>
      ) : (
        isReview &&
        canReplay && (
          <Text fz="sm" fw={500}>
            {t(words.unseen)}
          </Text>
        )
      )}
    </Group>
  );
}

interface SessionsProps {
  readonly sessions: readonly EmergencySession[];
  readonly canSee: boolean;
  readonly isReview: boolean;
}

/** Lists the sessions of an emergency access. */
export function EmergencySessions({ sessions, canSee, isReview }: SessionsProps) {
  if (sessions.length === 0)
    return (
      <Text fz="sm" c="dimmed">
        {t(words.noSessions)}
      </Text>
    );
  return (
    <Stack
      gap={4}
      component="ul"
      m={0}
      p={0}
      style={{ listStyle: 'none' }}
      aria-label={t(words.sessions)}
    >
      {sessions.map((session) => (
        <SessionLine key={session.id} session={session} canSee={canSee} isReview={isReview} />
      ))}
    </Stack>
  );
}

/** Opens the next recording that the review needs; renders nothing once all were opened. */
export function NextRecording({ sessions }: Pick<SessionsProps, 'sessions'>) {
  const recorded = sessions.filter(({ can_replay: canReplay }) => canReplay);
  const next = recorded.findIndex(({ opened }) => !opened);
  const session = recorded[next];
  if (!session) return null;
  return (
    <Button component="a" href={replayAddress(session.id)} target="_blank" rel="noopener">
      {t(words.openRecording, { at: next + 1, count: recorded.length })}
    </Button>
  );
}
