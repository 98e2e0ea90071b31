import { t } from '../../kit/i18n/index.ts';
import styles from './SessionPane.module.css';
import { type SessionStatus, STATUS_LABELS } from './session-status.ts';

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
