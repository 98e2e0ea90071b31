import { Button } from '@mantine/core';
import type { LocalText } from '@sallyport/contract';
import type { ReactNode } from 'react';
import { t } from '../../kit/i18n/index.ts';
import styles from './Cards.module.css';
import { EndIcon } from './EndIcon.tsx';
import type { EndIcon as IconName } from './session-ends.ts';
import { words } from './words.ts';

interface Props {
  readonly icon: IconName;
  readonly title: LocalText;
  readonly message: ReactNode;
  readonly onRetry: () => void;
  readonly onClose: () => void;
}

/** Notice in a tab that could not begin to connect. */
export function PlainNotice({ icon, title, message, onRetry, onClose }: Props) {
  return (
    <div className={styles.card} data-tone="warning" role="alert">
      <div className={styles.endHead}>
        <span className={styles.endIcon} data-tone="warning">
          <EndIcon name={icon} size={26} />
        </span>
        <div className={styles.endText}>
          <h2 className={styles.title}>{t(title)}</h2>
          <p className={styles.message}>{message}</p>
        </div>
      </div>
      <div className={styles.endActions}>
        <Button variant="default" onClick={onClose}>
          {t(words.closeTab)}
        </Button>
        <Button onClick={onRetry} data-autofocus>
          {t(words.reconnect)}
        </Button>
      </div>
    </div>
  );
}
