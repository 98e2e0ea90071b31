import { ScrollArea, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { formatDate } from '../../../kit/format/format.ts';
import { zoneName } from '../../../kit/format/relative-time.ts';
import { t } from '../../../kit/i18n/index.ts';
import styles from './JobLog.module.css';
import type { JobModel } from './useJob.ts';
import { words } from './words.ts';

/** The newest log lines of a job. Follows new lines unless the user has scrolled up. */
export function JobLog({ lines }: Pick<JobModel, 'lines'>) {
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new line moves the end
  useEffect(() => {
    const element = box.current;
    if (element && atEnd.current) element.scrollTop = element.scrollHeight;
  }, [lines]);
  return (
    <>
      <Text fz="xs" c="dimmed">
        {t(words.zone, { zone: zoneName(new Date()) })}
      </Text>
      <ScrollArea.Autosize
        mah={320}
        className={styles.log}
        viewportRef={box}
        viewportProps={{ role: 'log', 'aria-label': t(words.log), tabIndex: 0 }}
        onScrollPositionChange={({ y }) => {
          const element = box.current;
          atEnd.current = !element || element.scrollHeight - y - element.clientHeight < 8;
        }}
      >
        {lines.length === 0
          ? t(words.emptyLog)
          : lines.map(({ date, text }) => `${formatDate(date).slice(-8)} ${text}`).join('\n')}
      </ScrollArea.Autosize>
    </>
  );
}
