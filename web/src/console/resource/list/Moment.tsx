import { formatDate } from '../../../kit/format.ts';
import { formatNear, formatWithZone } from '../../../kit/relative-time.ts';
import styles from './Moment.module.css';
import { useMinute } from './useMinute.ts';

interface MomentProps {
  /** As the server writes it, or as ISO. */
  readonly date: string;
  /** The whole date is shown, and how far it is on hover: for what is compared. */
  readonly exact?: boolean;
}

/** A moment: how far it is while it is near, else its day. Date, time and time zone are shown on hover. */
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
