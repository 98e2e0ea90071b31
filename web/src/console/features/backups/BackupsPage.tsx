import { Badge, Button, Skeleton, Text } from '@mantine/core';
import {
  allows,
  type BackupRow,
  type Backups,
  type DrillRow,
  type LocalText,
  Permission,
} from '@sallyport/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { api } from '../../../kit/api.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { formatDate, formatDuration } from '../../../kit/format/format.ts';
import { sizeText } from '../../../kit/format/size.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { IconDatabase, IconShieldCheck } from '../../../kit/icons.ts';
import { failureText } from '../../../kit/identity/failure.ts';
import { useSession } from '../../base/session.tsx';
import { Card } from '../../resource/detail/Cards.tsx';
import { LoadFailed } from '../../resource/list/ListStates.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import styles from './Backups.module.css';
import { ScheduleCard } from './ScheduleCard.tsx';
import { words } from './words.ts';

const KEY = ['backups'];
/** Interval of reloads in milliseconds while a backup or a drill runs. */
const EVERY = 3_000;
/** Time of reloads in milliseconds after a request: its job has no row until it begins. */
const BEGINS_WITHIN = 60_000;

function resultOf({ passed }: DrillRow): { readonly text: LocalText; readonly color: string } {
  if (passed === null) return { text: words.running, color: 'gray' };
  return passed ? { text: words.passed, color: 'green' } : { text: words.failed, color: 'red' };
}

function Drill({ drill }: { readonly drill: DrillRow }) {
  const { text, color } = resultOf(drill);
  const { date, seconds, started_by: by } = drill;
  const parts = [
    formatDate(date),
    ...(seconds === null ? [] : [formatDuration(seconds)]),
    by || t(words.bySchedule),
  ].filter(Boolean);
  return (
    <li className={styles.row}>
      <Badge variant="light" color={color}>
        {t(text)}
      </Badge>
      <div className={styles.what}>
        <Text>{parts.join(' · ')}</Text>
        {drill.reason && <Text fz="sm">{drill.reason}</Text>}
        {drill.passed && (
          <Text fz="xs" c="dimmed">
            {t(words.facts, {
              date: formatDate(drill.date_backup),
              tables: drill.tables,
              rows: drill.rows,
              recordings: drill.recordings,
              secrets: drill.secrets,
            })}
          </Text>
        )}
        <Text fz="xs" c="dimmed" className="mono">
          {drill.folder}
        </Text>
      </div>
    </li>
  );
}

const STATES = {
  complete: undefined,
  waiting: { text: words.waiting, color: 'orange' },
  failed: { text: words.backupFailed, color: 'red' },
} as const satisfies Record<BackupRow['state'], object | undefined>;

function Backup({ backup }: { readonly backup: BackupRow }) {
  const { date, seconds, bytes, state, stored, reason, is_scheduled: isScheduled } = backup;
  const isMade = state !== 'failed';
  const parts = [
    formatDate(date),
    ...(isMade ? [formatDuration(seconds), sizeText(bytes)] : []),
    t(isScheduled ? words.bySchedule : words.byCommand),
  ].filter(Boolean);
  const contents = [
    backup.has_recordings
      ? t(words.withRecordings, { count: backup.recordings })
      : t(words.withoutRecordings),
    ...(isScheduled ? [] : [t(backup.has_keys ? words.withKeys : words.withoutKeys)]),
  ];
  const badge = STATES[state];
  return (
    <li className={styles.row}>
      {badge && (
        <Badge variant="light" color={badge.color}>
          {t(badge.text)}
        </Badge>
      )}
      <div className={styles.what}>
        <Text>{parts.join(' · ')}</Text>
        {reason && <Text fz="sm">{reason}</Text>}
        {isMade && (
          <Text fz="xs" c="dimmed">
            {contents.join(' · ')}
          </Text>
        )}
        {stored && (
          <Text fz="xs" c="dimmed">
            {t(words.storedIn, {
              name: backup.storage,
              size: sizeText(stored.bytes),
              date: formatDate(stored.date),
            })}
          </Text>
        )}
        {stored && (
          <Text fz="xs" c="dimmed" className="mono">
            {stored.key}
          </Text>
        )}
        {isMade && <Folder backup={backup} />}
      </div>
    </li>
  );
}

function Folder({ backup: { has_folder: has, server, folder } }: { readonly backup: BackupRow }) {
  if (!has)
    return (
      <Text fz="xs" c="dimmed">
        {t(words.folderGone)}
      </Text>
    );
  return (
    <Text fz="xs" c="dimmed" className="mono">
      {server ? t(words.folderOn, { server, folder }) : folder}
    </Text>
  );
}

/** A list of rows, or its empty text. */
function Rows({ empty, children }: { readonly empty: string; readonly children: ReactNode[] }) {
  if (children.length === 0)
    return (
      <Text c="dimmed" fz="sm" className={styles.body}>
        {empty}
      </Text>
    );
  return <ul className={styles.list}>{children}</ul>;
}

/** Backups on a schedule and by the command, and drills that restore them. */
export function BackupsPage() {
  const client = useQueryClient();
  const { role } = useSession();
  /** The time until which a requested job may begin. */
  const mayBegin = useRef(0);
  const query = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => api.get<Backups>('common/backups/', { signal }),
    refetchInterval: ({ state }) =>
      Date.now() < mayBegin.current ||
      state.data?.schedule.running ||
      state.data?.drills.some(({ passed }) => passed === null)
        ? EVERY
        : false,
  });
  async function start(url: string, started: LocalText) {
    try {
      await api.post(url, {}, { quiet: true });
      mayBegin.current = Date.now() + BEGINS_WITHIN;
      toast.success(t(started));
    } catch (cause) {
      toast.error(t(common.updateFailed), failureText(cause));
    }
    await client.invalidateQueries({ queryKey: KEY });
  }
  const { data } = query;
  const mayStart = allows(role.current, Permission.SUPER | Permission.ADMIN);
  return (
    <>
      <PageHeader>
        {mayStart && (
          <Button
            leftSection={<IconShieldCheck size={16} />}
            disabled={!data?.backups.some(({ state }) => state === 'complete')}
            onClick={() => void start('common/backups/drill/', words.started)}
          >
            {t(words.start)}
          </Button>
        )}
      </PageHeader>
      {query.error && <LoadFailed error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Skeleton height={320} />}
      {data && (
        <div className={styles.columns}>
          <ScheduleCard
            schedule={data.schedule}
            mayChange={mayStart}
            onStart={() => void start('common/backups/', words.backupStarted)}
          />
          <Card title={t(words.drills)} icon={<IconShieldCheck size={16} />}>
            <Text fz="sm" c="dimmed" className={styles.body}>
              {t(words.drillHint)}{' '}
              {data.days > 0 ? t(words.everyDays, { count: data.days }) : t(words.onRequest)}
            </Text>
            <Rows empty={t(words.noDrills)}>
              {data.drills.map((drill) => (
                <Drill key={drill.id} drill={drill} />
              ))}
            </Rows>
          </Card>
          <Card title={t(words.backups)} icon={<IconDatabase size={16} />}>
            <Text fz="sm" c="dimmed" className={styles.body}>
              {t(words.backupHint)}
            </Text>
            <Rows empty={t(words.noBackups)}>
              {data.backups.map((backup) => (
                <Backup key={backup.id} backup={backup} />
              ))}
            </Rows>
          </Card>
        </div>
      )}
    </>
  );
}
