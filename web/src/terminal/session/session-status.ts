import type { LocalText } from '@sallyport/contract';
import type { SessionSnapshot } from '../tabs/session-tab.ts';
import { words } from '../words.ts';

/** The state of a session, in the four words that tabs and status bars use. */
export type SessionStatus = 'waiting' | 'connecting' | 'open' | 'closed';

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
