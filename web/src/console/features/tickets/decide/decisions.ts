import {
  type AssetRequest,
  type ConsequencesQuestion,
  parseDatetime,
  type RequestAnswered,
  type RequestSuggestion,
} from '@sallyport/contract';
import { api } from '../../../../kit/api.ts';
import { formatDate } from '../../../../kit/format/format.ts';
import { t } from '../../../../kit/i18n/index.ts';
import { ABOUT } from '../request/about.ts';
import { lengthText, type Span } from '../request/lengths.ts';
import { words } from './words.ts';

export const REQUESTS = 'tickets/request-asset-perm/';
const MINUTE = 60_000;

/** The access that an approval opens. */
export interface Decision {
  readonly things: readonly string[];
  readonly accounts: readonly string[];
  readonly actions: readonly string[];
  readonly isReadOnly: boolean;
  readonly span: Span;
}

const timeOf = (date: string) => (parseDatetime(date) ?? new Date(date)).getTime();

/** Planned access begins later; other access begins with the approval. */
const isPlanned = ({ date_start: start }: AssetRequest) => timeOf(start) > Date.now();

const requestedMinutes = ({ date_start: start, date_expired: end }: AssetRequest) =>
  Math.max(1, Math.round((timeOf(end) - timeOf(start)) / MINUTE));

const spanOf = (request: AssetRequest): Span =>
  isPlanned(request) ? { until: request.date_expired } : { minutes: requestedMinutes(request) };

/** The decision to grant what was asked for; earlier decisions of an assignee come first. */
export function asRequested(request: AssetRequest, suggestion: RequestSuggestion): Decision {
  const confirmed = request[ABOUT[request.target].confirmed];
  const accounts = request.confirmed_system_user;
  return {
    things: confirmed.length > 0 ? confirmed : suggestion.things.map(({ id }) => id),
    accounts: accounts.length > 0 ? accounts : suggestion.accounts,
    actions: request.actions,
    isReadOnly: request.is_read_only,
    span: spanOf(request),
  };
}

/** The reason that a decision cannot be saved, or undefined. */
export function missing({ user, target }: AssetRequest, decision: Decision): string | undefined {
  if (user === null) return t(words.userGone);
  if (decision.things.length === 0)
    return t(target === 'asset' ? words.chooseAssets : words.chooseApps);
  return decision.accounts.length === 0 ? t(words.chooseAccount) : undefined;
}

/** Approves a request with a decision, or proposes it to a second administrator. */
export function approve(request: AssetRequest, decision: Decision): Promise<RequestAnswered> {
  return api.post<RequestAnswered>(`${REQUESTS}${request.id}/approve/`, {
    [ABOUT[request.target].confirmed]: decision.things,
    confirmed_system_user: decision.accounts,
    actions: decision.actions,
    is_read_only: decision.isReadOnly,
    ...('minutes' in decision.span
      ? { minutes: decision.span.minutes }
      : { date_expired: decision.span.until }),
  });
}

/** Asks the server who gains access by a decision. */
export function consequencesOf(
  request: AssetRequest,
  { things, accounts, actions, isReadOnly, span }: Decision,
): ConsequencesQuestion | undefined {
  const { target, user } = request;
  if (user === null || things.length === 0 || accounts.length === 0) return undefined;
  const now = new Date();
  return {
    action: 'save',
    resource: ABOUT[target].permission,
    ids: [],
    users: [user],
    user_groups: [],
    [ABOUT[target].field]: things,
    system_users: accounts,
    ...(target === 'asset' && { nodes: [] }),
    ...(target !== 'remote_app' && { actions }),
    ...(target === 'database_app' && { is_read_only: isReadOnly }),
    is_active: true,
    date_start: 'minutes' in span ? now.toISOString() : request.date_start,
    date_expired:
      'minutes' in span
        ? new Date(now.getTime() + span.minutes * MINUTE).toISOString()
        : span.until,
  };
}

/** Writes a request as a sentence. */
export function requestSentence(
  request: AssetRequest,
  suggestion: RequestSuggestion | null,
): string {
  const { user_display: who, hostname, ips, application, system_user: account } = request;
  const matches = suggestion?.things.map(({ name }) => name) ?? [];
  const typed = [hostname, application, ...ips].filter(Boolean);
  const list = new Intl.ListFormat(t(words.locale));
  const what = list.format(matches.length > 0 ? matches : typed);
  const when = isPlanned(request)
    ? t(words.fromUntil, {
        from: formatDate(request.date_start).slice(0, 16),
        until: formatDate(request.date_expired).slice(0, 16),
      })
    : t(words.forLength, { length: lengthText(requestedMinutes(request)) });
  return account
    ? t(words.asks, { who, what, account, when })
    : t(words.asksWithoutAccount, { who, what, when });
}
