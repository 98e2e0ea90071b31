import { formatNumber } from '../../../kit/format/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import styles from './StateBar.module.css';
import { words } from './words.ts';

interface StateBarProps {
  /** Processed objects, including failed and skipped ones. */
  readonly done: number;
  readonly failed: number;
  readonly skipped: number;
  readonly total: number;
}

/** The processed objects of a job as a bar and a number; nothing for a job without objects. */
export function StateBar({ done, failed, skipped, total }: StateBarProps) {
  const all = Math.max(total, done);
  if (all === 0) return null;
  const parts = { succeeded: done - failed - skipped, failed, skipped };
  return (
    <span className={styles.bar}>
      <span className={styles.track} aria-hidden="true">
        {Object.entries(parts).map(
          ([part, count]) =>
            count > 0 && (
              <span key={part} data-part={part} style={{ width: `${(count / all) * 100}%` }} />
            ),
        )}
      </span>
      <span className="mono">
        {done === all ? formatNumber(all) : t(words.progressOf, { done, total: all })}
      </span>
    </span>
  );
}
