import {
  type Consequences,
  type ConsequencesQuestion,
  concernsMany,
  takesAway,
} from '@sallyport/contract';
import { api } from '../../../kit/api.ts';
import { confirmed } from '../../../kit/dialogs/confirm.ts';
import { t } from '../../../kit/i18n/index.ts';
import { words } from './words.ts';

/**
 * Asks for confirmation if a change affects the access of many users. Returns true if the user
 * agrees or the change affects few.
 */
export async function agreeToAccess(question: ConsequencesQuestion | undefined): Promise<boolean> {
  if (!question) return true;
  const consequences = await api
    .post<Consequences>('perms/consequences/', question, { quiet: true })
    .catch(() => undefined);
  // If the consequences are unknown, the form saves and the server decides.
  if (!consequences?.access.some(concernsMany)) return true;
  return confirmed({
    title: t(words.reviewChanges),
    message: t(words.changesMany),
    confirm: t(words.saveChanges),
    danger: consequences.access.some(takesAway),
    consequences: question,
    run: async () => undefined,
  }).then(
    () => true,
    () => false,
  );
}
