import { Badge, Button, Group, Skeleton, Text } from '@mantine/core';
import type { ChangeSetDetail, LocalText, PlannedChangeView } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { AccessLines } from '../../../kit/access-change/AccessLines.tsx';
import { ApiError, api } from '../../../kit/api.ts';
import { CONTROLLED } from '../../../kit/change-control/controlled.ts';
import { formatDate } from '../../../kit/format/format.ts';
import { language, t } from '../../../kit/i18n/index.ts';
import { inSentence } from '../../../kit/i18n/language.ts';
import { useGoButton, useObjectId } from '../../base/navigation.tsx';
import { Card, DetailCard } from '../../resource/detail/Cards.tsx';
import { EmptyState } from '../../resource/list/EmptyState.tsx';
import { LoadFailed } from '../../resource/list/ListStates.tsx';
import { ObjectLink } from '../../resource/object/ObjectLink.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { WhoCanReach } from '../access/index.ts';
import styles from './ChangeSets.module.css';
import { isUnreviewed, KEY, LIST_PATH, STATES, URL } from './change-sets.ts';
import { Decisions } from './Decisions.tsx';
import { FieldChanges } from './FieldChanges.tsx';
import { words } from './words.ts';

const requestFact = (id: string) => ({
  name: 'ticket',
  label: words.request,
  value: () => (
    <ObjectLink resource="ticket" id={id}>
      {t(words.openRequest)}
    </ObjectLink>
  ),
});

type DateName =
  | 'date_created'
  | 'date_expires'
  | 'date_decided'
  | 'date_applied'
  | 'date_reviewed'
  | 'apply_at';

function Overview({ set }: { readonly set: ChangeSetDetail }) {
  const { text, color } = STATES[set.state];
  const date = (name: DateName) => () => {
    const value = set[name];
    return value && formatDate(value);
  };
  return (
    <DetailCard
      title={t(words.overview)}
      source={{
        name: 'change_set',
        path: URL,
        title: words.control,
        labelField: 'reason',
        fields: {},
      }}
      object={set}
      facts={[
        {
          name: 'state',
          label: words.state,
          value: () => (
            <Group gap={6}>
              <Badge variant="light" color={color}>
                {t(text)}
              </Badge>
              {set.is_emergency && (
                <Badge variant="light" color="red">
                  {t(words.emergency)}
                </Badge>
              )}
              {isUnreviewed(set) && (
                <Badge variant="light" color="red">
                  {t(words.toReview)}
                </Badge>
              )}
            </Group>
          ),
        },
        { name: 'reason', label: words.reason, value: () => set.reason, isWide: true },
        ...(set.apply_at
          ? [{ name: 'apply_at', label: words.applyAt, value: date('apply_at') }]
          : []),
        ...(set.ticket ? [requestFact(set.ticket)] : []),
        { name: 'proposer', label: words.proposer, value: () => set.proposer },
        { name: 'date_created', label: words.dateProposed, value: date('date_created') },
        ...(set.state === 'proposed'
          ? [{ name: 'date_expires', label: words.dateExpires, value: date('date_expires') }]
          : []),
        { name: 'decider', label: words.decider, value: () => set.decider },
        { name: 'date_decided', label: words.dateDecided, value: date('date_decided') },
        ...(set.apply_at && set.date_applied
          ? [{ name: 'date_applied', label: words.dateApplied, value: date('date_applied') }]
          : []),
        ...(set.failure
          ? ([
              { name: 'failure', label: words.failure, value: () => set.failure, isWide: true },
            ] as const)
          : []),
        {
          name: 'comment',
          label: set.is_emergency ? words.why : words.comment,
          value: () => set.comment,
          isWide: true,
        },
        ...(set.date_reviewed
          ? ([
              { name: 'reviewer', label: words.reviewer, value: () => set.reviewer },
              { name: 'date_reviewed', label: words.dateReviewed, value: date('date_reviewed') },
              {
                name: 'review_comment',
                label: words.reviewComment,
                value: () => set.review_comment,
                isWide: true,
              },
            ] as const)
          : []),
      ]}
    />
  );
}

/** Changes whose effect on access the server does not compute. */
const WITHOUT_ACCESS: Readonly<Record<string, LocalText>> = {
  setting: words.settingsAccess,
  user: words.roleAccess,
  organization: words.officeAccess,
};

function Change({
  change,
  isOpen,
}: {
  readonly change: PlannedChangeView;
  /** True until the change set ends: a deleted object has no users to list. */
  readonly isOpen: boolean;
}) {
  const { title } = CONTROLLED[change.resource];
  const isPlaced = change.resource === 'asset' && 'nodes' in change.fields;
  const noAccess = isPlaced
    ? words.placeAccess
    : (WITHOUT_ACCESS[change.resource] ?? words.noAccess);
  const ofAccount =
    change.resource === 'system_user' && !['create', 'restore'].includes(change.action)
      ? change.action === 'delete'
        ? words.losers
        : words.sameUsers
      : undefined;
  const resource = language === 'en' ? inSentence(title.en) : title.zh;
  return (
    <Card title={t(words[change.action], { resource, name: change.name })}>
      <FieldChanges change={change} />
      <section className={styles.body} aria-label={t(words.access)}>
        <Text fw={600} fz="sm">
          {t(words.access)}
        </Text>
        {change.access.length === 0 ? (
          <>
            <Text fz="sm">{t(ofAccount ?? noAccess)}</Text>
            {ofAccount && isOpen && <WhoCanReach place="system-users" id={change.object} />}
          </>
        ) : (
          <ul className={styles.access}>
            <AccessLines access={change.access} from={null} />
          </ul>
        )}
      </section>
    </Card>
  );
}

/** The page of a change set, with its decisions and the access that users gain and lose. */
export function ChangeSetPage() {
  const id = useObjectId();
  const goButton = useGoButton();
  const query = useQuery({
    queryKey: [...KEY, 'detail', id],
    queryFn: ({ signal }) =>
      api.get<ChangeSetDetail>(`${URL}${encodeURIComponent(id)}/`, { signal, quiet: true }),
  });
  const { data, error } = query;
  const isOpen = data?.state === 'proposed' || data?.state === 'approved';
  const isLost = error instanceof ApiError && error.status === 404;
  return (
    <>
      <PageHeader onBack={() => history.back()}>{data && <Decisions set={data} />}</PageHeader>
      {isLost && (
        <EmptyState
          title={t(words.notFound)}
          action={<Button {...goButton(LIST_PATH)}>{t(words.toList)}</Button>}
        />
      )}
      {error && !isLost && <LoadFailed error={error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Skeleton height={320} />}
      {data && (
        <div className={styles.page}>
          {data.state === 'proposed' && data.is_own && <Text>{t(words.ownWaits)}</Text>}
          {data.state === 'approved' && <Text>{t(words.waitsForTime)}</Text>}
          {data.state === 'failed' && <Text>{t(words.nothingApplied)}</Text>}
          {data.state === 'proposed' && data.is_requester && <Text>{t(words.requested)}</Text>}
          <Overview set={data} />
          {data.turns_off && (
            <Card title={t(words.turnsOff)}>
              <Text fz="sm" className={styles.body}>
                {t(words.controlled)}
              </Text>
            </Card>
          )}
          {data.changes.map((change, index) => (
            // The changes of a set never change their order.
            // biome-ignore lint/suspicious/noArrayIndexKey: two changes can be of one object
            <Change key={index} change={change} isOpen={isOpen} />
          ))}
          {data.changes.length > 1 && (
            <Text fz="sm" c="dimmed">
              {t(words.alone)}
            </Text>
          )}
        </div>
      )}
    </>
  );
}
