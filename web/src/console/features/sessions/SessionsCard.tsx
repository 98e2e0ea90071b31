import { ActionIcon, Skeleton, Text } from '@mantine/core';
import { isMarked, type Page, session } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconDeviceDesktop, IconEye, IconPlayerPlay } from '../../../kit/icons.ts';
import { LiveMark, SessionMarks } from '../../../kit/session-marks/SessionMarks.tsx';
import { replayAddress, watchAddress, windowLink } from '../../base/addresses.ts';
import { Card } from '../../resource/detail/Cards.tsx';
import detailStyles from '../../resource/detail/Detail.module.css';
import { Moment } from '../../resource/list/table/Moment.tsx';
import { ObjectLink } from '../../resource/object/ObjectLink.tsx';
import { cacheKey, listUrl } from '../../resource/source.ts';
import { Duration } from './Duration.tsx';
import type { Session } from './session-actions.ts';
import { words } from './words.ts';

const LINES = 5;

interface SessionsCardProps {
  /** Filter of the list request. */
  readonly by: Readonly<Record<string, string>>;
  /** The other side of the sessions, which each line names. */
  readonly shows: 'user' | 'asset';
}

/** The link that replays an ended session or watches a live one; none without a recording. */
function OpenButton({ row }: { readonly row: Session }) {
  const { id, user, asset, is_finished: isOver } = row;
  if (isOver ? !row.can_replay : !row.can_join) return null;
  const label = `${t(isOver ? words.replay : words.monitor)}: ${user} → ${asset}`;
  const Icon = isOver ? IconPlayerPlay : IconEye;
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={label}
      title={t(isOver ? words.replay : words.monitor)}
      {...windowLink(isOver ? replayAddress(id) : watchAddress(id))}
    >
      <Icon size={16} />
    </ActionIcon>
  );
}

/** The latest sessions of a user or an asset, on its overview. */
export function SessionsCard({ by, shows }: SessionsCardProps) {
  const { data, isPending, error } = useQuery({
    queryKey: [...cacheKey(session), 'latest', by],
    queryFn: ({ signal }) =>
      api.get<Page<Session>>(listUrl(session), {
        query: { ...by, limit: LINES },
        signal,
        quiet: true,
      }),
  });
  const rows = data?.results ?? [];
  return (
    <Card title={t(words.latestSessions)} icon={<IconDeviceDesktop size={16} />}>
      {isPending && <Skeleton height={88} m="md" w="auto" />}
      {!isPending && rows.length === 0 && (
        <Text c="dimmed" className={detailStyles.body}>
          {error?.message ?? t(words.noSessionsYet)}
        </Text>
      )}
      {rows.map((row) => (
        <div key={row.id} className={detailStyles.line}>
          <Text span truncate className={detailStyles.lineMain}>
            <ObjectLink resource={session.name} id={row.id}>
              {row[shows]}
            </ObjectLink>
            <Text span c="dimmed" fz="sm">
              {' · '}
              {row.system_user}
            </Text>
          </Text>
          <SessionMarks session={row} />
          {!row.is_finished && <LiveMark quiet={!isMarked(row)} />}
          <Text span c="dimmed" fz="xs" visibleFrom="xs">
            <Duration session={row} />
          </Text>
          <Text span c="dimmed" fz="xs">
            <Moment date={row.date_start} />
          </Text>
          <OpenButton row={row} />
        </div>
      ))}
    </Card>
  );
}
