import {
  CHANGE_SET,
  type ChangeSetDetail,
  type ChangeSetRow,
  type ChangeSetState,
  type LocalText,
  parseDatetime,
  UNDO_DAYS,
} from '@sallyport/contract';
import type { QueryClient } from '@tanstack/react-query';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { t } from '../../../kit/i18n/index.ts';
import { failureText } from '../../../kit/identity/failure.ts';
import { words } from './words.ts';

export const URL = 'change-sets/';
export const KEY = ['change-sets'];
export const LIST_PATH = `/${CHANGE_SET.path}`;
export const detailPath = (id: string) => `${LIST_PATH}/${id}`;

/** Maximum characters of a reason or comment. */
export const MOST_REASON = 500;

export const STATES = {
  proposed: { text: words.proposed, color: 'blue' },
  approved: { text: words.approvedState, color: 'violet' },
  applied: { text: words.applied, color: 'green' },
  failed: { text: words.failed, color: 'red' },
  rejected: { text: words.rejected, color: 'red' },
  withdrawn: { text: words.withdrawn, color: 'gray' },
  expired: { text: words.expired, color: 'gray' },
} as const satisfies Record<ChangeSetState, { text: LocalText; color: string }>;

/** Returns true if a change set was applied at once and no other administrator has reviewed it. */
export const isUnreviewed = (set: ChangeSetRow): boolean =>
  set.is_emergency && set.state === 'applied' && set.date_reviewed === null;

/** The time from which a change set applies, if it has not come yet or a decision waits for it. */
export const plannedTime = ({ state, apply_at: time }: ChangeSetRow): string | null =>
  state === 'proposed' || state === 'approved' ? time : null;

const DAY = 86_400_000;

/** Returns true if the inverse of a change set can be proposed. */
export function canUndo({
  state,
  turns_off: turnsOff,
  date_applied: applied,
  date_decided: date,
}: ChangeSetRow): boolean {
  const text = applied ?? date;
  const decided = text === null ? undefined : parseDatetime(text)?.getTime();
  return (
    state === 'applied' &&
    !turnsOff &&
    decided !== undefined &&
    Date.now() - decided <= UNDO_DAYS * DAY
  );
}

/**
 * Sends a decision, reports its result, and reads the change sets again. Never rejects, so that its
 * dialog closes: after a refusal the administrator reads the change set before another try.
 */
export async function act(
  client: QueryClient,
  send: () => Promise<ChangeSetDetail>,
  { success, failure }: { readonly success: LocalText; readonly failure: LocalText },
): Promise<ChangeSetDetail | undefined> {
  try {
    const set = await send();
    toast.success(t(success));
    return set;
  } catch (cause) {
    toast.error(t(failure), failureText(cause));
    return undefined;
  } finally {
    await client.invalidateQueries({ queryKey: KEY });
    await client.invalidateQueries({ queryKey: ['attention'] });
  }
}
