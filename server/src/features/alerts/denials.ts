import type { Db, Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { SettingsService } from '../../platform/settings/service.ts';
import type { Unusual } from './raise.ts';

/** A refused sign-in or a denied command. */
export interface Denial {
  /** Undefined for a sign-in with a name that no account has. */
  readonly userId: string | undefined;
  readonly remoteAddress: string;
  readonly date: Date;
  readonly day: string;
  readonly signIn?: string;
  readonly session?: string;
  /** Organization of the session; absent for sign-ins. */
  readonly organization?: string;
}

const MINUTE = 60_000;
const minuteOf = (date: Date) => new Date(Math.floor(date.getTime() / MINUTE) * MINUTE);

/** Users count by themselves, other names by their address. */
const subjectOf = ({ userId, remoteAddress }: Denial) => userId ?? remoteAddress;

/**
 * Counts denials by minute and returns those that exceed the threshold: one event for each user or
 * address and minute. The counts of the settings' period are at most 60 rows of the primary key.
 */
export async function manyDenials(
  denials: readonly Denial[],
  settings: Pick<SettingsService, 'get'>,
  tx: Tx,
): Promise<readonly Unusual[]> {
  if (denials.length === 0 || !settings.get('ALERT_MANY_DENIALS')) return [];
  const groups = Map.groupBy(
    denials,
    (denial) => `${subjectOf(denial)} ${minuteOf(denial.date).toISOString()}`,
  );
  const lastOf = new Map<string, Denial>();
  const counts = [...groups].flatMap(([key, group]) => {
    const last = group.at(-1);
    if (!last) return [];
    lastOf.set(key, last);
    return [{ key, subject: subjectOf(last), minute: minuteOf(last.date), amount: group.length }];
  });
  const sent = sql`jsonb_to_recordset(${JSON.stringify(counts)}::jsonb) as s (key text,
    subject text, minute timestamptz, amount integer)`;
  await sql`
    insert into denial_count (subject, minute, amount)
    select s.subject, s.minute, s.amount from ${sent} order by s.subject, s.minute
    on conflict (subject, minute) do update
      set amount = denial_count.amount + excluded.amount`.execute(tx);
  const { rows } = await sql<{ key: string; amount: number }>`
    select s.key, sum(d.amount)::int as amount from ${sent}
    join denial_count d on d.subject = s.subject and d.minute <= s.minute
      and d.minute > s.minute - make_interval(mins => ${settings.get('ALERT_DENIAL_MINUTES')})
    group by s.key, s.minute having sum(d.amount) > ${settings.get('ALERT_DENIALS')}
    order by s.minute`.execute(tx);
  return rows.flatMap(({ key, amount }) => {
    const last = lastOf.get(key);
    if (!last) return [];
    const { userId, organization = userId === undefined ? '' : undefined, ...event } = last;
    const about = {
      ...(userId !== undefined && { userId }),
      ...(organization !== undefined && { organization }),
    };
    return [
      {
        ...event,
        ...about,
        kind: 'many_denials',
        subject: userId ? '' : last.remoteAddress,
        amount,
      },
    ];
  });
}

/** Deletes counts that no period covers. */
export async function forgetDenials(db: Db): Promise<void> {
  await sql`delete from denial_count where minute < now() - interval '2 hours'`.execute(db);
}
