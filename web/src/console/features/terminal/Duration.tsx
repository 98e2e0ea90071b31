import { useEffect, useState } from 'react';
import { formatDuration, secondsBetween } from '../../../kit/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import type { Session } from './session-actions.ts';
import { words } from './words.ts';

const TICK = 1_000;
/** Up to one second the format says nothing. */
const OVER_A_SECOND = 1.001;

/** How long a session lasted; of a live one, how long it has been going on. */
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
