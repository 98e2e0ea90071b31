import { Skeleton, Text } from '@mantine/core';
import { isMarked } from '@sallyport/contract';
import { formatDate } from '../../../../kit/format/format.ts';
import { t } from '../../../../kit/i18n/index.ts';
import { IconDeviceDesktop } from '../../../../kit/icons.ts';
import { LiveMark, SessionMarks } from '../../../../kit/session-marks/SessionMarks.tsx';
import { PageLink } from '../../../base/navigation.tsx';
import { Card } from '../../../resource/detail/Cards.tsx';
import detailStyles from '../../../resource/detail/Detail.module.css';
import styles from '../Dashboard.module.css';
import { LIVE } from '../Latest.tsx';
import { useIndex } from './useIndex.ts';
import { words } from './words.ts';

/** The ten sessions that began last, including live ones. */
export function LatestSessions() {
  const { data, isPending } = useIndex(['dates_login_record_top10_sessions'], LIVE);
  const rows = data?.dates_login_record_top10_sessions ?? [];
  return (
    <Card title={t(words.latest)} icon={<IconDeviceDesktop size={16} />}>
      <div className={styles.latestTen}>
        {isPending && <Skeleton height={120} m="md" w="auto" />}
        {!isPending && rows.length === 0 && (
          <Text c="dimmed" className={detailStyles.body}>
            {t(words.nothing)}
          </Text>
        )}
        {rows.map(
          ({ id, user, asset, is_finished: isOver, date_start: start, timesince, ...marks }) => (
            <div key={id} className={styles.line}>
              <PageLink to={`/terminal/sessions/${id}`} className={styles.who ?? ''} truncate>
                {user} → {asset}
              </PageLink>
              <SessionMarks session={marks} />
              {!isOver && <LiveMark quiet={!isMarked(marks)} />}
              <Text span className={styles.when} c="dimmed" fz="xs" title={formatDate(start)}>
                {timesince}
              </Text>
            </div>
          ),
        )}
      </div>
    </Card>
  );
}
