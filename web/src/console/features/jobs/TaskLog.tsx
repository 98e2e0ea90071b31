import { Box, Text } from '@mantine/core';
import { common, t } from '../../../kit/i18n/index.ts';
import { useObjectId } from '../../base/navigation.tsx';
import { OutcomeState } from '../../resource/job/OutcomeState.tsx';
import { useJob } from '../../resource/job/useJob.ts';
import { useStayAtEnd } from '../../resource/job/useStayAtEnd.ts';
import { words } from '../../resource/job/words.ts';
import { PageHeader } from '../../resource/PageHeader.tsx';
import styles from './TaskLog.module.css';

/** Shows the live log of a task in a full-page terminal. */
export function TaskLog() {
  const { job, lines, problem } = useJob(useObjectId());
  const end = useStayAtEnd(lines);
  const title = job ? [job.title, job.subject].filter(Boolean).join(' · ') : undefined;
  return (
    <>
      <PageHeader {...(title && { title })} />
      <Text role="status" fz="sm" mb="xs">
        {job ? (
          <OutcomeState outcome={job.outcome} text={job.state_display} />
        ) : (
          problem || t(common.loading)
        )}
      </Text>
      {(job?.reason || (job && problem)) && (
        <Text
          role="alert"
          fz="sm"
          mb="xs"
          c="var(--mantine-color-error)"
          style={{ overflowWrap: 'anywhere' }}
        >
          {job.reason || problem}
        </Text>
      )}
      {job && (
        <Box
          ref={end.ref}
          onScroll={end.onScroll}
          className={styles.screen}
          role="log"
          aria-label={t(words.log)}
          tabIndex={0}
        >
          {lines.length === 0 ? t(words.emptyLog) : lines.map(({ text }) => text).join('\n')}
        </Box>
      )}
    </>
  );
}
