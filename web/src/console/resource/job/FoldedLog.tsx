import { UnstyledButton } from '@mantine/core';
import { useId, useState } from 'react';
import { t } from '../../../kit/i18n/index.ts';
import { IconChevronDown, IconChevronRight } from '../../../kit/icons.ts';
import { JobLog } from './JobLog.tsx';
import styles from './JobReport.module.css';
import type { JobModel } from './useJob.ts';
import { words } from './words.ts';

interface FoldedLogProps extends Pick<JobModel, 'lines'> {
  readonly isOpenAtFirst: boolean;
}

/** The log of a job, which opens on request. */
export function FoldedLog({ lines, isOpenAtFirst }: FoldedLogProps) {
  const [chosen, setChosen] = useState<boolean>();
  const isOpen = chosen ?? isOpenAtFirst;
  const panel = useId();
  return (
    <section className={styles.card}>
      <UnstyledButton
        className={styles.fold}
        aria-expanded={isOpen}
        aria-controls={panel}
        onClick={() => setChosen(!isOpen)}
      >
        {isOpen ? <IconChevronDown size={16} /> : <IconChevronRight size={16} />}
        {t(words.log)}
        <span className={styles.dim}>{t(words.lines, { count: lines.length })}</span>
      </UnstyledButton>
      <div id={panel} className={styles.log} hidden={!isOpen}>
        {isOpen && <JobLog lines={lines} />}
      </div>
    </section>
  );
}
