import { type DateRange, parseDatetime } from '@sallyport/contract';
import { ALL_SESSIONS } from '../../sessions/all-sessions.ts';

const iso = (text: string): string => (parseDatetime(text) ?? new Date(0)).toISOString();

/**
 * The address of the sessions that began in a range and match further filters, as the dashboard
 * counts them.
 */
export function sessionsOf(
  { from, to }: DateRange,
  filters: Readonly<Record<string, string>> = {},
) {
  return {
    to: '/terminal/session',
    search: { activeTab: ALL_SESSIONS, date_from: iso(from), date_to: iso(to), ...filters },
  };
}
