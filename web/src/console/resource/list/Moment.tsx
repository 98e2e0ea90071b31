import { formatDate } from '../../../kit/format.ts';
import { formatNear, formatWithZone } from '../../../kit/relative-time.ts';
import styles from './Moment.module.css';
import { useMinute } from './useMinute.ts';

interface MomentProps {
  /** Server format or ISO. */
  readonly date: string;
  /** Shows the full date, with the relative time on hover; for dates that users compare. */
  readonly exact?: boolean;
}

/** A date: relative while near, else the day. The full date with time zone appears on hover. */
export function Moment({ date, exact = false }: MomentProps) {
  const now = useMinute();
  const near = formatNear(date, now);
  return (
    <time
      title={exact ? `${near} · ${formatWithZone(date)}` : formatWithZone(date)}
      className={exact ? styles.exact : styles.near}
    >
      {exact ? formatDate(date) : near}
    </time>
  );
}
