import { Tooltip } from '@mantine/core';
import type { LocalText } from '@sallyport/contract';
import { t } from '../../kit/i18n/index.ts';
import type { SessionSnapshot } from '../tabs/session-snapshot.ts';
import { words } from '../words.ts';
import recordedStyles from './Recorded.module.css';
import styles from './SessionPane.module.css';

/** The state of a session, in the four words that tabs and status bars use. */
type SessionStatus = 'waiting' | 'connecting' | 'open' | 'closed';

export const STATUS_LABELS: Readonly<Record<SessionStatus, LocalText>> = {
  waiting: words.stateWaiting,
  connecting: words.stateConnecting,
  open: words.stateOpen,
  closed: words.stateClosed,
};

/** The status of a session in one word. */
export function statusOf({ choice, connection }: SessionSnapshot): SessionStatus {
  if (choice.kind === 'asking') return 'waiting';
  if (choice.kind === 'loading') return 'connecting';
  if (connection.phase === 'away') return 'connecting';
  if (choice.kind !== 'chosen' && connection.phase !== 'open') return 'closed';
  if (connection.phase === 'credentials') return 'waiting';
  if (connection.phase === 'open') return 'open';
  return connection.phase === 'closed' ? 'closed' : 'connecting';
}

/** A status as shape and color. `label` adds a word for screen readers if no text is next to it. */
export function StatusMark({
  status,
  label = false,
}: {
  readonly status: SessionStatus;
  readonly label?: boolean;
}) {
  return label ? (
    <span
      className={styles.mark}
      data-status={status}
      role="img"
      aria-label={t(STATUS_LABELS[status])}
    />
  ) : (
    <span className={styles.mark} data-status={status} aria-hidden="true" />
  );
}

/** Says that a session is recorded. */
export function Recorded() {
  return (
    <Tooltip label={t(words.recordedHint)}>
      <span className={recordedStyles.recorded}>
        <span className={recordedStyles.mark} aria-hidden="true" />
        {t(words.recorded)}
      </span>
    </Tooltip>
  );
}
