import { Badge, Button, Group, Text } from '@mantine/core';
import type { BackupSchedule } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { IconCalendar, IconDatabase } from '../../../kit/icons.ts';
import { PageLink } from '../../base/navigation.tsx';
import { Card } from '../../resource/detail/Cards.tsx';
import detail from '../../resource/detail/Detail.module.css';
import styles from './Backups.module.css';
import { words } from './words.ts';

/** Label and text of each setting of the schedule. */
function factsOf(schedule: BackupSchedule): readonly (readonly [string, string])[] {
  const { every_days: days, hour, storage, keep_folder: keepsFolder, recordings } = schedule;
  const places = [
    ...(storage ? [t(words.inStorage, { name: storage })] : []),
    ...(keepsFolder || !storage ? [t(words.onDisk)] : []),
  ];
  return [
    [t(words.when), t(words.everyDaysAt, { count: days, hour: String(hour).padStart(2, '0') })],
    [t(words.copies), places.join(' · ')],
    [t(words.recordings), t(recordings ? words.included : words.notIncluded)],
    [
      t(words.kept),
      t(schedule.keep_days > 0 ? words.keep : words.keepLast, {
        count: schedule.keep_last,
        days: schedule.keep_days,
      }),
    ],
  ];
}

/** The schedule of backups, with a button for one now. */
export function ScheduleCard({
  schedule,
  mayChange,
  onStart,
}: {
  readonly schedule: BackupSchedule;
  /** True for administrators of the installation. */
  readonly mayChange: boolean;
  readonly onStart: () => void;
}) {
  const { enabled, running, storage } = schedule;
  return (
    <Card title={t(words.schedule)} icon={<IconCalendar size={16} />}>
      <Group gap="xs" className={styles.body}>
        <Badge variant="light" color={enabled ? 'green' : 'gray'}>
          {t(enabled ? words.on : words.off)}
        </Badge>
        <span role="status">
          {running && (
            <Badge variant="light" color="blue">
              {t(words.backupRunning)}
            </Badge>
          )}
        </span>
      </Group>
      <dl className={detail.facts}>
        {factsOf(schedule).flatMap(([label, text]) => [
          <dt key={label}>{label}</dt>,
          <dd key={`${label} text`}>{text}</dd>,
        ])}
      </dl>
      <Text fz="sm" c="dimmed" className={styles.body}>
        {t(storage ? words.keyHint : words.storageHint)}
      </Text>
      {mayChange && (
        <Group gap="sm" className={styles.body}>
          <Button
            variant="default"
            leftSection={<IconDatabase size={16} />}
            disabled={running}
            onClick={onStart}
          >
            {t(words.backUp)}
          </Button>
          <PageLink to="/settings" search={{ activeTab: 'Backup' }}>
            {t(words.settings)}
          </PageLink>
        </Group>
      )}
    </Card>
  );
}
