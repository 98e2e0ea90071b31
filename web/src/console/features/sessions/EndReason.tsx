import { Clipped } from '../Clipped.tsx';
import { endReason } from './end-reasons.ts';
import type { Session } from './session-actions.ts';

/** The end reason of a session, in a table. */
export function EndReason({
  session,
}: {
  readonly session: Pick<Session, 'end_reason' | 'asset'>;
}) {
  return <Clipped title={endReason(session)} min={110} />;
}
