import { useEffect, useState } from 'react';
import { formatDuration, secondsBetween } from '../../../kit/format/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import type { Session } from './session-actions.ts';
import { words } from './words.ts';

const TICK = 1_000;
/** The format returns an empty text for up to one second. */
const OVER_A_SECOND = 1.001;

/** The duration of a session; for a live one, the time since its start. */
export function Duration({
  session,
}: {
  readonly session: Pick<Session, 'date_start' | 'date_end'>;
}) {
  const [now, setNow] = useState(() => new Date());
  const live = session.date_end === null;
  useEffect(() => {
    if (!live) return;
    const timer = setInterval(() => setNow(new Date()), TICK);
    return () => clearInterval(timer);
  }, [live]);
  const seconds = secondsBetween(session.date_start, session.date_end ?? now.toISOString());
  return (
    <span className="mono">
      {seconds === undefined
        ? ''
        : seconds < 1
          ? t(words.underASecond)
          : formatDuration(Math.max(seconds, OVER_A_SECOND))}
    </span>
  );
}
