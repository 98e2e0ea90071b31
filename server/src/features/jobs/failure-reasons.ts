import {
  ERRORS,
  type FailureReason,
  type Language,
  type LocalText,
  type MendingAct,
  MOST_KEPT_HOSTS,
  MOST_REASON_HOSTS,
  MOST_REASONS,
  NO_ADMIN_USER,
  NO_SYSTEM_USER_SECRET,
  say,
} from '@sallyport/contract';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';

/** A host of a run that failed or was skipped. */
interface UnsuccessfulHost {
  readonly asset: string | null;
  readonly name: string;
  readonly ip: string;
  readonly state: 'failed' | 'skipped';
  readonly reason: LocalText | null;
}

/** The unsuccessful hosts of a run of a task, or of a change-auth plan, in one organization. */
export async function unsuccessfulHosts(
  run: string,
  organization: string,
  db: Db,
): Promise<readonly UnsuccessfulHost[]> {
  const { rows } = await sql<UnsuccessfulHost>`
    select host.asset, host.name, coalesce(a.ip, '') as ip, host.state, host.reason from (
      select asset_id as asset, hostname as name, state, reason from adhoc_execution_host
      where execution_id = ${run} and org_id = ${organization} and state in ('failed', 'skipped')
      union all
      select asset_id, hostname, 'failed', reason from change_auth_subtask
      where plan_execution_id = ${run} and org_id = ${organization} and is_success = false
    ) host left join asset a on a.id = host.asset
    order by host.name limit ${MOST_KEPT_HOSTS}`.execute(db);
  return rows;
}

/** Matches a text whose places are filled. */
const filled = ({ en }: LocalText): RegExp =>
  new RegExp(
    en
      .split(/\{\w+\}/)
      .map((part) => RegExp.escape(part))
      .join('.*'),
    's',
  );

const MENDS: readonly (readonly [RegExp, MendingAct])[] = [
  [filled(NO_ADMIN_USER), 'admin_user'],
  [filled(NO_SYSTEM_USER_SECRET), 'system_user'],
  [filled(ERRORS.connect_credentials), 'credentials'],
  [filled(ERRORS.connect_password), 'credentials'],
  [filled(ERRORS.connect_host_key), 'host_key'],
  [filled(ERRORS.connect_certificate_changed), 'host_key'],
  [filled(ERRORS.connect_unreachable), 'address'],
  [filled(ERRORS.connect_refused), 'address'],
  [filled(ERRORS.connect_protocol_error), 'address'],
];

const UNKNOWN: LocalText = { en: 'No reason was recorded.', zh: '未记录原因。' };
const ELLIPSIS = '…';

/** IPv4 addresses: that of the host, or of its gateway. */
const ADDRESS = /\b\d{1,3}(?:\.\d{1,3}){3}\b/g;

/** The text of a reason without the name of its host and without addresses. */
const without = (text: string, { name, ip }: UnsuccessfulHost): string =>
  [name, ip]
    .reduce((left, part) => (part === '' ? left : left.replaceAll(part, ELLIPSIS)), text)
    .replaceAll(ADDRESS, ELLIPSIS);

const asSentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Groups hosts by state and reason, the most hosts first. */
export function groupByReason(
  hosts: readonly UnsuccessfulHost[],
  language: Language,
): readonly FailureReason[] {
  const groups = Map.groupBy(
    hosts,
    (host) => `${host.state} ${without(say(host.reason ?? UNKNOWN, 'en'), host)}`,
  );
  return [...groups.values()]
    .toSorted((one, other) => other.length - one.length)
    .slice(0, MOST_REASONS)
    .flatMap((group) => {
      const [first] = group;
      if (!first) return [];
      const reason = first.reason ?? UNKNOWN;
      const text = say(reason, language);
      return {
        state: first.state,
        reason: asSentence(group.length === 1 ? text : without(text, first)),
        count: group.length,
        hosts: group.slice(0, MOST_REASON_HOSTS).map(({ asset, name }) => ({ asset, name })),
        mend: MENDS.find(([matches]) => matches.test(reason.en))?.[1] ?? null,
      };
    });
}
