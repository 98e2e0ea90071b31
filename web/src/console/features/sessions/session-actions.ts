import {
  END_REASON_MAX,
  type KillSessionReply,
  type Row,
  type session,
  user,
} from '@sallyport/contract';
import { addressOf, api, type Query, timeZone } from '../../../kit/api.ts';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { t } from '../../../kit/i18n/index.ts';
import { words } from './words.ts';

export type Session = Row<typeof session>;

/** The address of a recording: a plain link, so that the browser saves it as a file. */
export const downloadAddress = (id: string) =>
  `/api/v1/terminal/sessions/${encodeURIComponent(id)}/replay/download/`;

/** The address of a printable report of commands, with the filters of their list. */
export const reportAddress = (query: Query) =>
  addressOf('terminal/commands/report/', { ...query, tz: timeZone() });

/** Option to disable the user too, who could otherwise open the next session immediately. */
const alsoDisable = ({ user: name, user_id: id }: Session) => ({
  label: t(words.alsoDisable, { user: name }),
  consequences: { action: 'disable', resource: 'user', ids: [id] } as const,
  run: () => api.patch(`${user.path}/${id}/`, { is_active: false }, { quiet: true }),
});

/**
 * Ends sessions after confirmation; their users see the reason. For a single session, the dialog
 * offers to disable its user, unless that is the caller (`me`).
 */
export function askToTerminate(
  sessions: readonly Session[],
  me: string,
  after: () => Promise<unknown>,
): void {
  const [only] = sessions;
  const ids = sessions.map(({ id }) => id);
  askFirst({
    title: t(words.terminateTitle, { count: sessions.length }),
    message:
      only && sessions.length === 1
        ? t(words.terminateQuestion, { user: only.user, asset: only.asset })
        : t(words.terminateMany, { count: sessions.length }),
    confirm: t(words.endSessions, { count: sessions.length }),
    danger: true,
    consequences: { action: 'terminate', resource: 'session', ids },
    ...(only &&
      sessions.length === 1 &&
      only.user_id &&
      only.user_id !== me && { also: alsoDisable(only) }),
    note: { label: t(words.reason), hint: t(words.reasonHint), max: END_REASON_MAX },
    run: async (reason) => {
      await api.post<KillSessionReply>(
        'terminal/tasks/kill-session/',
        { sessions: ids, reason },
        { quiet: true },
      );
      await after();
    },
    success: t(words.terminateSent),
  });
}
