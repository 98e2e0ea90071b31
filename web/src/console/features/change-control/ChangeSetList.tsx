import { Badge, Skeleton, Text } from '@mantine/core';
import { allows, type ChangeSetRow, dutyCovers, Permission } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { formatDate } from '../../../kit/format/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import { PageLink } from '../../base/navigation.tsx';
import { useSession } from '../../base/session.tsx';
import { Card } from '../../resource/detail/Cards.tsx';
import { LoadFailed } from '../../resource/list/ListStates.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import styles from './ChangeSets.module.css';
import { ControlCard } from './ControlCard.tsx';
import { detailPath, isUnreviewed, KEY, plannedTime, STATES, URL } from './change-sets.ts';
import { WaitingTokens } from './WaitingTokens.tsx';
import { words } from './words.ts';

function Row({ set }: { readonly set: ChangeSetRow }) {
  const { text, color } = STATES[set.state];
  const time = plannedTime(set);
  const parts = [
    t(words.by, { user: set.proposer }),
    formatDate(set.date_created),
    ...(time ? [t(words.appliesAt, { date: formatDate(time).slice(0, 16) })] : []),
    ...(set.is_emergency ? [t(words.emergency)] : []),
    ...(set.turns_off ? [t(words.turnsOff)] : []),
    ...(set.count > 0 ? [t(words.count, { count: set.count })] : []),
  ];
  return (
    <li className={styles.row}>
      <Badge variant="light" color={color}>
        {t(text)}
      </Badge>
      <div className={styles.what}>
        <PageLink to={detailPath(set.id)}>{set.reason}</PageLink>
        <Text fz="xs" c="dimmed">
          {parts.join(' · ')}
        </Text>
      </div>
      {isUnreviewed(set) && (
        <Badge variant="light" color="red">
          {t(words.toReview)}
        </Badge>
      )}
      {set.is_own && <Badge variant="default">{t(words.own)}</Badge>}
    </li>
  );
}

function Rows({ sets, empty }: { readonly sets: readonly ChangeSetRow[]; readonly empty: string }) {
  if (sets.length === 0)
    return (
      <Text c="dimmed" fz="sm" className={styles.body}>
        {empty}
      </Text>
    );
  return (
    <ul className={styles.list}>
      {sets.map((set) => (
        <Row key={set.id} set={set} />
      ))}
    </ul>
  );
}

/** The switch of change control, and the change sets of the organization. */
export function ChangeSetList() {
  const {
    role,
    profile: { duty },
  } = useSession();
  const query = useQuery({
    queryKey: [...KEY, 'list'],
    queryFn: ({ signal }) => api.get<readonly ChangeSetRow[]>(URL, { signal, quiet: true }),
  });
  const { data } = query;
  const isWaiting = (set: ChangeSetRow) =>
    set.state === 'proposed' || set.state === 'approved' || isUnreviewed(set);
  return (
    <>
      <PageHeader />
      <div className={styles.page}>
        {dutyCovers(duty, 'permissions', 'change') && <ControlCard />}
        {allows(role.current, Permission.SUPER | Permission.ADMIN) && <WaitingTokens />}
        {query.error && <LoadFailed error={query.error} onRetry={() => void query.refetch()} />}
        {query.isPending && <Skeleton height={240} />}
        {data && (
          <>
            <Card title={t(words.waiting)}>
              <Rows sets={data.filter(isWaiting)} empty={t(words.noneWaiting)} />
            </Card>
            <Card title={t(words.decided)}>
              <Rows sets={data.filter((set) => !isWaiting(set))} empty={t(words.noneDecided)} />
            </Card>
          </>
        )}
      </div>
    </>
  );
}
