import {
  type Consequences,
  type ConsequencesQuestion,
  concernsMany,
  takesAway,
} from '@sallyport/contract';
import { api } from '../../../kit/api.ts';
import { confirmed } from '../../../kit/confirm.ts';
import { t } from '../../../kit/i18n/index.ts';
import { words } from './words.ts';

/** Asks again before the access of many is changed; keeps to a yes where few are concerned. */
export async function agreeToAccess(question: ConsequencesQuestion | undefined): Promise<boolean> {
  if (!question) return true;
  const found = await api
    .post<Consequences>('perms/consequences/', question, { quiet: true })
    .catch(() => undefined);
  // Where nobody can count what follows the server has the last word.
  if (!found?.access.some(concernsMany)) return true;
  return confirmed({
    title: t(words.reviewChanges),
    message: t(words.changesMany),
    confirm: t(words.saveChanges),
    danger: found.access.some(takesAway),
    consequences: question,
    run: async () => undefined,
  }).then(
    () => true,
    () => false,
  );
}
