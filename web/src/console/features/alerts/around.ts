import { type loginLog, parseDatetime, type Row, session } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { pagesOf } from '../../base/resources.ts';
import type { Session } from '../sessions/index.ts';
import type { Alert } from './sentence.ts';
import { words } from './words.ts';

type SignIn = Row<typeof loginLog>;

/** An act of the user near an alert. */
export interface Event {
  readonly id: string;
  readonly date: string;
  readonly text: string;
  readonly isBad: boolean;
  readonly to: string | undefined;
}

const HOUR = 3_600_000;
/** Events of each kind. */
const MOST = 10;

interface Pages {
  readonly signIns: readonly SignIn[];
  readonly sessions: readonly Session[];
}

/** Puts the sign-ins and sessions of a user in their order. */
export function eventsOf({ signIns, sessions }: Pages): Event[] {
  const events = [
    ...signIns.map(({ id, datetime, status, ip, reason_display: reason }) => ({
      ...{ id, date: datetime, isBad: status === false, to: undefined },
      text: t(status === false ? words.failedSignIn : words.signedIn, { ip, reason }),
    })),
    ...sessions.map(({ id, date_start: date, asset, system_user: account, risk_level: risk }) => ({
      ...{ id, date, isBad: Number(risk) > 0, to: pagesOf(session.name).detail(id) },
      text: t(words.connected, { asset, account }),
    })),
  ];
  const time = ({ date }: Event) => parseDatetime(date)?.getTime() ?? 0;
  return events.sort((one, other) => time(one) - time(other));
}

/** Reads what happened up to one hour before and after an alert, and the live sessions. */
export function useAround({ id, username, datetime, links, remote_addr: ip }: Alert) {
  const moment = parseDatetime(datetime)?.getTime() ?? 0;
  const range = {
    date_from: new Date(moment - HOUR).toISOString(),
    date_to: new Date(moment + HOUR).toISOString(),
  };
  const user = links.user?.id;
  const read = <T>(path: string, query: Readonly<Record<string, string>>, signal: AbortSignal) =>
    api.get<{ readonly results: readonly T[] }>(path, {
      query: { ...query, limit: MOST },
      signal,
      quiet: true,
    });
  return useQuery({
    queryKey: ['alert-around', id],
    queryFn: async ({ signal }) => {
      const who = username === '' ? { ip } : { username };
      const [signIns, sessions, live] = await Promise.all([
        read<SignIn>('audits/login-logs/', { ...who, ...range }, signal),
        user === undefined
          ? { results: [] }
          : read<Session>('terminal/sessions/', { user_id: user, ...range }, signal),
        user === undefined
          ? { results: [] }
          : read<Session>('terminal/sessions/', { user_id: user, is_finished: '0' }, signal),
      ]);
      return {
        events: eventsOf({ signIns: signIns.results, sessions: sessions.results }),
        live: live.results,
      };
    },
  });
}
