import type { LocalText } from '@sallyport/contract';
import type { SessionSnapshot } from '../tabs/session-tab.ts';
import { workspaceWords } from '../words/workspace.ts';

/** Where a session stands, in the four words that tabs and status bars use. */
export type SessionStatus = 'waiting' | 'connecting' | 'open' | 'closed';

export const STATUS_LABELS: Readonly<Record<SessionStatus, LocalText>> = {
  waiting: workspaceWords.stateWaiting,
  connecting: workspaceWords.stateConnecting,
  open: workspaceWords.stateOpen,
  closed: workspaceWords.stateClosed,
};

/** The status of a session in one word. */
export function statusOf({ choice, connection }: SessionSnapshot): SessionStatus {
  if (choice.kind === 'asking') return 'waiting';
  if (choice.kind === 'loading') return 'connecting';
  if (choice.kind !== 'chosen') return 'closed';
  if (connection.phase === 'credentials') return 'waiting';
  if (connection.phase === 'open') return 'open';
  return connection.phase === 'closed' ? 'closed' : 'connecting';
}
