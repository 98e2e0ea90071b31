import { Button, Group, Stack, Text } from '@mantine/core';
import {
  allows,
  type EmergencyFacts,
  type LocalText,
  Permission,
  type Row,
  ticket,
} from '@sallyport/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../../../kit/api.ts';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { minutesLeft } from '../../../kit/format/relative-time.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { useSession } from '../../base/session.tsx';
import { Card } from '../../resource/detail/Cards.tsx';
import detail from '../../resource/detail/Detail.module.css';
import { Moment } from '../../resource/list/table/Moment.tsx';
import { ObjectLink } from '../../resource/object/ObjectLink.tsx';
import { cacheKey, objectUrl } from '../../resource/source.ts';
import { EmergencySessions, NextRecording } from './EmergencySessions.tsx';
import { words } from './words.ts';

/** Ends emergency access after confirmation. The server then disconnects its sessions. */
export function askToEnd(ticket: string, onEnded: () => Promise<unknown>): void {
  askFirst({
    title: t(words.endTitle),
    message: t(words.endQuestion),
    confirm: t(words.endNow),
    danger: true,
    run: async () => {
      await api.post(`tickets/emergency/${ticket}/end/`, {});
      await onEnded();
    },
    success: t(words.ended),
  });
}

const EVERY = 5_000;

const keyOf = (id: string) => [...cacheKey(ticket), 'emergency', id];

/** Reasons that keep a review open, by its state. */
const WAITS: Partial<Record<EmergencyFacts['review'], LocalText>> = {
  active: words.waits,
  unopened: words.unopened,
};

type Ticket = Row<typeof ticket>;

/** Reads the access of a ticket, and the rights of the current user on it. */
function useEmergency(row: Ticket | undefined) {
  const { profile, organization, role } = useSession();
  const isOpen = row?.status === 'open';
  const { data, isPending } = useQuery({
    queryKey: keyOf(row?.id ?? ''),
    queryFn: ({ signal }) =>
      api.get<EmergencyFacts>(`tickets/emergency/${row?.id}/`, { signal, quiet: true }),
    enabled: row !== undefined,
    // Sessions change, and reviewers open recordings in other windows.
    ...(isOpen && { refetchInterval: EVERY }),
  });
  const isReviewer = row?.assignees.includes(profile.id) ?? false;
  const isOwn = row?.user === profile.id;
  const isHere = (organization?.id === 'DEFAULT' ? '' : (organization?.id ?? '')) === data?.org_id;
  const canReview = isOpen && isReviewer && !isOwn;
  const waits = data && WAITS[data.review];
  const notes = [
    data && !isHere && isReviewer && t(words.elsewhere, { name: data.org_name }),
    isOpen && isOwn && t(words.own),
    canReview && t(waits ?? words.reviewQuestion),
    data?.can_take_over && t(words.noReviewer),
  ].filter((note) => typeof note === 'string');
  return {
    data,
    isPending,
    canReview,
    canSee: isHere && allows(role.permissions, Permission.AUDIT),
    canEnd: data?.is_active === true && (isReviewer || isOwn),
    notes,
  };
}

interface ReviewCardProps {
  readonly id: string;
  readonly emergency: ReturnType<typeof useEmergency>;
  readonly refresh: () => Promise<unknown>;
}

/** The review of emergency access: its question or the reason to wait, and the two answers. */
function ReviewCard({ id, emergency, refresh }: ReviewCardProps) {
  const { data, canReview, canSee, notes } = emergency;
  if (!data || notes.length === 0) return null;
  return (
    <Card title={t(words.review)}>
      <Stack className={detail.body ?? ''} gap="sm">
        {notes.map((note) => (
          <Text key={note} fz="sm">
            {note}
          </Text>
        ))}
        {(canReview || data.can_take_over) && (
          <Group gap="xs">
            {canReview && canSee && <NextRecording sessions={data.sessions} />}
            <Decisions id={id} data={data} canReview={canReview} refresh={refresh} />
          </Group>
        )}
      </Stack>
    </Card>
  );
}

/** The review on the page of a session of emergency access, for its reviewers only. */
export function SessionReview({ ticket: id }: { readonly ticket: string }) {
  const { data: row, refetch } = useQuery({
    queryKey: [...cacheKey(ticket), 'review', id],
    queryFn: ({ signal }) => api.get<Ticket>(objectUrl(ticket, id), { signal, quiet: true }),
  });
  const emergency = useEmergency(row);
  if (!emergency.canReview) return null;
  return <ReviewCard id={id} emergency={emergency} refresh={refetch} />;
}

interface EmergencyCardProps {
  readonly ticket: Ticket;
  readonly refresh: () => Promise<void>;
  /** Content below the cards. It appears after they have loaded, so it does not move. */
  readonly children: ReactNode;
}

/** Shows emergency access with its review, sessions and early end. */
export function EmergencyCard({ ticket: row, refresh, children }: EmergencyCardProps) {
  const client = useQueryClient();
  const emergency = useEmergency(row);
  const { data, canSee, canEnd, canReview } = emergency;
  if (emergency.isPending) return null;
  if (!data) return children;
  return (
    <Stack gap={20}>
      <ReviewCard id={row.id} emergency={emergency} refresh={refresh} />
      <Card title={t(words.access)}>
        <Stack className={detail.body ?? ''} gap="sm">
          <Facts data={data} canOpenAsset={canSee} />
          <Text fz="sm" fw={500}>
            {t(words.sessions)}
          </Text>
          <EmergencySessions sessions={data.sessions} canSee={canSee} isReview={canReview} />
          {canEnd && (
            <Group>
              <Button
                variant="default"
                onClick={() =>
                  askToEnd(row.id, () => client.invalidateQueries({ queryKey: keyOf(row.id) }))
                }
              >
                {t(words.endNow)}
              </Button>
            </Group>
          )}
        </Stack>
      </Card>
      {children}
    </Stack>
  );
}

/** State, asset, rule and dates of the access. */
function Facts({
  data,
  canOpenAsset,
}: {
  readonly data: EmergencyFacts;
  readonly canOpenAsset: boolean;
}) {
  return (
    <>
      <Group gap="xs">
        <Text fz="sm" fw={500} {...(data.is_active && { c: 'var(--mantine-color-error)' })}>
          {t(data.is_active ? words.active : words.over)}
          {data.is_active &&
            ` · ${t(words.minutesLeft, { count: minutesLeft(data.date_expired) })}`}
        </Text>
        {data.asset && canOpenAsset ? (
          <ObjectLink resource="asset" id={data.asset}>
            {data.asset_display}
          </ObjectLink>
        ) : (
          <Text fz="sm">{data.asset_display}</Text>
        )}
        <Text fz="sm" c="dimmed">
          {data.rule_name}
        </Text>
      </Group>
      <Text fz="sm" component="div">
        {t(words.started)}: <Moment date={data.date_start} exact /> · {t(words.until)}:{' '}
        <Moment date={data.date_expired} exact />
      </Text>
    </>
  );
}

interface DecisionsProps {
  /** The ticket of the access. */
  readonly id: string;
  readonly data: EmergencyFacts;
  readonly canReview: boolean;
  readonly refresh: () => Promise<unknown>;
}

/** Buttons that take over or finish the review. */
function Decisions({ id, data, canReview, refresh }: DecisionsProps) {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const isBlocked = data.review !== 'ready' || busy;

  const answer = async (action: 'approve' | 'reject') => {
    setBusy(true);
    try {
      await api.patch(objectUrl(ticket, id), { action });
      toast.success(t(common.updateSuccess));
    } catch {
      // The request layer shows the error.
    } finally {
      await refresh();
      setBusy(false);
    }
  };
  async function takeOver() {
    await api.post(`tickets/emergency/${id}/take-over/`, {});
    toast.success(t(common.updateSuccess));
    await client.invalidateQueries({ queryKey: keyOf(id) });
    await refresh();
  }

  return (
    <Group gap="xs">
      {data.can_take_over && (
        <Button onClick={() => void takeOver().catch(() => undefined)}>{t(words.takeOver)}</Button>
      )}
      {canReview && (
        <>
          <Button disabled={isBlocked} onClick={() => void answer('approve')}>
            {t(words.reviewed)}
          </Button>
          <Button
            color="red"
            variant="light"
            disabled={isBlocked}
            onClick={() => void answer('reject')}
          >
            {t(words.object)}
          </Button>
        </>
      )}
    </Group>
  );
}
