import { Tooltip } from '@mantine/core';
import { t } from '../../kit/i18n/index.ts';
import { words } from '../words.ts';
import styles from './Recorded.module.css';

/** Says that a session is recorded. */
export function Recorded() {
  return (
    <Tooltip label={t(words.recordedHint)}>
      <span className={styles.recorded}>
        <span className={styles.mark} aria-hidden="true" />
        {t(words.recorded)}
      </span>
    </Tooltip>
  );
}
