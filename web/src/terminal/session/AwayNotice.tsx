import { Button, Loader } from '@mantine/core';
import { useEffect, useState } from 'react';
import { clock } from '../../kit/format/format.ts';
import { t } from '../../kit/i18n/index.ts';
import type { ConnectionState } from '../connection/connection-state.ts';
import styles from './Cards.module.css';
import { EndIcon } from './EndIcon.tsx';
import { words } from './words.ts';

interface Props {
  readonly state: Extract<ConnectionState, { phase: 'away' }>;
  readonly onRetry: () => void;
  readonly onClose: () => void;
}

/** Seconds until a moment, counting down. */
function useSecondsUntil(moment: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return Math.max(0, Math.round((moment - now) / 1000));
}

/** Tells the user that the shell still runs without a connection, and for how long. */
export function AwayNotice({ state, onRetry, onClose }: Props) {
  const seconds = useSecondsUntil(state.until);
  if (!state.shell) {
    return (
      <div className={styles.card} data-small>
        <Loader size={20} />
        <span>{t(words.returning)}</span>
      </div>
    );
  }
  return (
    <div className={styles.docked} data-tone="warning">
      <div className={styles.endHead}>
        <span className={styles.endIcon} data-tone="warning">
          <EndIcon name="line" size={20} />
        </span>
        <div className={styles.endText}>
          <h2 className={styles.title}>{t(words.awayTitle)}</h2>
          {/* Read out every second it would drown everything else. */}
          <p className={styles.hint} aria-live="off">
            {t(words.awayHint, { time: clock(seconds) })}
          </p>
        </div>
      </div>
      <div className={styles.endActions}>
        <Button variant="default" onClick={onClose}>
          {t(words.closeTab)}
        </Button>
        <Button onClick={onRetry}>{t(words.tryNow)}</Button>
      </div>
    </div>
  );
}
