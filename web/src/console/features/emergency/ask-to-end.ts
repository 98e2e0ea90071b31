import { api } from '../../../kit/api.ts';
import { askFirst } from '../../../kit/confirm.ts';
import { t } from '../../../kit/i18n/index.ts';
import { words } from './words.ts';

/** Ends emergency access after confirmation. The server then disconnects its sessions. */
export function askToEnd(ticket: string, onEnded: () => Promise<unknown>): void {
  askFirst({
    title: t(words.endTitle),
    message: t(words.endQuestion),
    confirm: t(words.endNow),
    danger: true,
    run: async () => {
      await api.post(`tickets/emergency/${ticket}/end/`, {});
      await onEnded();
    },
    success: t(words.ended),
  });
}
