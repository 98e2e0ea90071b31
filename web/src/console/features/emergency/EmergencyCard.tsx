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
import { EmergencySessions } from './EmergencySessions.tsx';
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

interface EmergencyCardProps {
  readonly ticket: Row<typeof ticket>;
  readonly refresh: () => Promise<void>;
  /** Content below the card. It appears after the card has loaded, so it does not move. */
  readonly children: ReactNode;
}

/** Shows emergency access with its sessions, early end and review. */
export function EmergencyCard({ ticket: row, refresh, children }: EmergencyCardProps) {
  const { profile, organization, role } = useSession();
  const isOpen = row.status === 'open';
  const { data, isPending } = useQuery({
    queryKey: keyOf(row.id),
    queryFn: ({ signal }) =>
      api.get<EmergencyFacts>(`tickets/emergency/${row.id}/`, { signal, quiet: true }),
    // Sessions change, and reviewers open recordings in other windows.
    ...(isOpen && { refetchInterval: EVERY }),
  });
  if (isPending) return null;
  if (!data) return children;
  const isReviewer = row.assignees.includes(profile.id);
  const isOwn = row.user === profile.id;
  const isHere = (organization?.id === 'DEFAULT' ? '' : (organization?.id ?? '')) === data.org_id;
  const canSee = isHere && allows(role.permissions, Permission.AUDIT);
  const canReview = isOpen && isReviewer && !isOwn;
  const waits = WAITS[data.review];
  const notes = [
    !isHere && isReviewer && t(words.elsewhere, { name: data.org_name }),
    isOpen && isOwn && t(words.own),
    canReview && waits && t(waits),
    data.can_take_over && t(words.noReviewer),
  ].filter((note) => typeof note === 'string');

  return (
    <>
      <Card title={t(words.access)}>
        <Stack className={detail.body ?? ''} gap="sm">
          <Facts data={data} canOpenAsset={canSee} />
          <Text fz="sm" fw={500}>
            {t(words.sessions)}
          </Text>
          <EmergencySessions sessions={data.sessions} canSee={canSee} isReview={canReview} />
          {notes.map((note) => (
            <Text key={note} fz="sm" c="dimmed">
              {note}
            </Text>
          ))}
          <Decisions
            id={row.id}
            data={data}
            canReview={canReview}
            canEnd={data.is_active && (isReviewer || isOwn)}
            refresh={refresh}
          />
        </Stack>
      </Card>
      {children}
    </>
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
  readonly canEnd: boolean;
  readonly refresh: () => Promise<void>;
}

/** Buttons that take over or finish the review, or end the access. */
function Decisions({ id, data, canReview, canEnd, refresh }: DecisionsProps) {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const readAgain = () => client.invalidateQueries({ queryKey: keyOf(id) });
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
    await readAgain();
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
      {canEnd && (
        <Button variant="default" onClick={() => askToEnd(id, readAgain)}>
          {t(words.endNow)}
        </Button>
      )}
    </Group>
  );
}
