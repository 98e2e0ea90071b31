import { Button, Group, Skeleton, Text } from '@mantine/core';
import { allows, Permission, user as users } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { formatDate } from '../../../kit/format/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import { PageLink } from '../../base/navigation.tsx';
import { useSession } from '../../base/session.tsx';
import { LoadFailed } from '../../resource/list/ListStates.tsx';
import { ObjectLink } from '../../resource/object/ObjectLink.tsx';
import { cacheKey } from '../../resource/source.ts';
import { askToTerminate } from '../sessions/index.ts';
import styles from './Alerts.module.css';
import { type Event, useAround } from './around.ts';
import { type Alert, sentenceOf } from './sentence.ts';
import { words } from './words.ts';

interface IncidentProps {
  readonly alert: Alert;
  /** Marks the alert as seen; undefined if it is. */
  readonly onSeen: (() => void) | undefined;
}

/** An alert with the events of the user around it, and the acts that answer it. */
export function Incident({ alert, onSeen }: IncidentProps) {
  const around = useAround(alert);
  const { user } = alert.links;
  return (
    <section className={styles.incident} aria-label={sentenceOf(alert)}>
      <Text fw={600}>{sentenceOf(alert)}</Text>
      <div>
        <Text fz="sm" c="dimmed" mb={4}>
          {t(words.around)}
        </Text>
        {around.isPending && <Skeleton height={72} />}
        {around.error && <LoadFailed error={around.error} onRetry={() => void around.refetch()} />}
        {around.data && <Events events={around.data.events} alert={alert} />}
      </div>
      <Group gap="xs">
        <Acts alert={alert} live={around.data?.live ?? []} onDone={() => void around.refetch()} />
        {onSeen && (
          <Button size="xs" variant="default" onClick={onSeen}>
            {t(words.noThreat)}
          </Button>
        )}
        {user && (
          <ObjectLink resource={user.resource} id={user.id}>
            {t(words.openUser)}
          </ObjectLink>
        )}
        <PageLink
          to="/audits/login-log"
          search={alert.username === '' ? { ip: alert.remote_addr } : { username: alert.username }}
        >
          {t(words.allSignIns)}
        </PageLink>
      </Group>
    </section>
  );
}

/** The events in their order, and the alert among them. */
function Events({ events, alert }: { readonly events: readonly Event[]; readonly alert: Alert }) {
  if (events.length === 0) return <Text fz="sm">{t(words.nothingAround)}</Text>;
  return (
    <ol className={styles.events}>
      {events.map(({ id, date, text, isBad, to }) => (
        <li
          key={id}
          {...(isBad && { 'data-bad': true })}
          {...((id === alert.sign_in || id === alert.session) && { 'data-alert': true })}
        >
          <span className="mono">{formatDate(date).slice(11, 19)}</span>
          {to === undefined ? <span>{text}</span> : <PageLink to={to}>{text}</PageLink>}
        </li>
      ))}
    </ol>
  );
}

/** The acts against the user of an alert, for administrators. */
function Acts({
  alert,
  live,
  onDone,
}: {
  readonly alert: Alert;
  readonly live: Parameters<typeof askToTerminate>[0];
  readonly onDone: () => void;
}) {
  const client = useQueryClient();
  const { role, profile } = useSession();
  const { user } = alert.links;
  if (!user || user.id === profile.id || !allows(role.current, Permission.ADMIN)) return null;
  const disable = () =>
    askFirst({
      title: t(words.disableTitle, { user: alert.user }),
      message: t(words.disableQuestion),
      confirm: t(words.disable),
      danger: true,
      consequences: { action: 'disable', resource: 'user', ids: [user.id] },
      run: async () => {
        await api.patch(`${users.path}/${user.id}/`, { is_active: false }, { quiet: true });
        await client.invalidateQueries({ queryKey: cacheKey(users) });
        onDone();
      },
      success: t(words.wasDisabled),
    });
  return (
    <>
      {live.length > 0 && (
        <Button
          size="xs"
          color="red"
          variant="light"
          onClick={() => askToTerminate(live, profile.id, async () => onDone())}
        >
          {t(words.endSessions, { count: live.length })}
        </Button>
      )}
      <Button size="xs" color="red" variant="light" onClick={disable}>
        {t(words.disable)}
      </Button>
    </>
  );
}
