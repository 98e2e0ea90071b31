import {
  INTERVENTION_MAX,
  type InterventionAction,
  type Row,
  type SessionIntervention,
  type SessionLock,
  session,
} from '@sallyport/contract';
import { api } from '../api.ts';
import { askFirst } from '../dialogs/confirm.ts';
import { t } from '../i18n/index.ts';
import { words } from './words.ts';

type Session = Row<typeof session>;

const intervene = (id: string, action: InterventionAction, text: string) => {
  const body: SessionIntervention = { action, text };
  return api.post<SessionLock>(`${session.path}/${id}/interventions/`, body, { quiet: true });
};

/** Asks for a reason, then stops the input of the session. */
export function askToLock({ id, user, asset }: Session, after: () => Promise<unknown>): void {
  askFirst({
    title: t(words.lockTitle),
    message: t(words.lockText, { user, asset }),
    confirm: t(words.lock),
    note: { label: t(words.reason), hint: t(words.reasonHint), max: INTERVENTION_MAX },
    run: async (reason) => {
      await intervene(id, 'lock', reason);
      await after();
    },
    success: t(words.locked),
  });
}

/** Passes the input of a locked session again. */
export function askToUnlock({ id, locked_by: who }: Session, after: () => Promise<unknown>): void {
  askFirst({
    message: t(words.lockedBy, { who: who ?? '' }),
    confirm: t(words.unlock),
    run: async () => {
      await intervene(id, 'unlock', '');
      await after();
    },
    success: t(words.unlocked),
  });
}

/** Asks for a message and shows it to the user of the session. */
export function askToWrite({ id, user }: Session): void {
  askFirst({
    title: t(words.messageTitle, { user }),
    message: t(words.messageText),
    confirm: t(words.send),
    note: { label: t(words.messageLabel), hint: '', max: INTERVENTION_MAX, isRequired: true },
    run: (text) => intervene(id, 'message', text),
    success: t(words.sent),
  });
}
