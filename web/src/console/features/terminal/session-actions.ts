import { END_REASON_MAX, type KillSessionReply, type Row, type session } from '@sallyport/contract';
import { addressOf, api, type Query, timeZone } from '../../../kit/api.ts';
import { askFirst } from '../../../kit/confirm.ts';
import { t } from '../../../kit/i18n/index.ts';
import { words } from './words.ts';

export type Session = Row<typeof session>;

/** Where the recording of a session is downloaded: a plain link, so that the browser saves it as a file. */
export const downloadAddress = (id: string) => `/api/v1/terminal/sessions/${encodeURIComponent(id)}/replay/download/`;

/** Where commands are a page to print and to file, by what their list is narrowed by. */
export const reportAddress = (query: Query) => addressOf('terminal/commands/report/', { ...query, tz: timeZone() });

/** Asks, then ends sessions; those concerned see why. */
export function askToTerminate(sessions: readonly Session[], after: () => Promise<unknown>): void {
  const [only] = sessions;
  const ids = sessions.map(({ id }) => id);
  askFirst({
    message:
      only && sessions.length === 1 ? t(words.terminateQuestion, { user: only.user, asset: only.asset }) : t(words.terminateMany, { count: sessions.length }),
    confirm: t(words.terminate),
    danger: true,
    consequences: { action: 'terminate', resource: 'session', ids },
    note: { label: t(words.reason), hint: t(words.reasonHint), max: END_REASON_MAX },
    run: async (reason) => {
      await api.post<KillSessionReply>('terminal/tasks/kill-session/', { sessions: ids, reason }, { quiet: true });
      await after();
    },
    success: t(words.terminateSent),
  });
}
