import { useEffect, useState } from 'react';
import { formatDuration, secondsBetween } from '../../../kit/format.ts';
import type { Session } from './session-actions.ts';

const TICK = 1_000;

/** How long a session lasted; of a live one, how long it has been going on. */
export function Duration({ session }: { readonly session: Pick<Session, 'date_start' | 'date_end'> }) {
  const [now, setNow] = useState(() => new Date());
  const live = session.date_end === null;
  useEffect(() => {
    if (!live) return;
    const timer = setInterval(() => setNow(new Date()), TICK);
    return () => clearInterval(timer);
  }, [live]);
  const seconds = secondsBetween(session.date_start, session.date_end ?? now.toISOString());
  return <span className="mono">{seconds === undefined ? '' : formatDuration(seconds)}</span>;
}
