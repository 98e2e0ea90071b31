import { dayAndHourIn, isUuid } from '@sallyport/contract';
import type { Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { serverZone } from '../../platform/settings/service.ts';
import { manyDenials } from './denials.ts';
import { raiseAlerts, type Unusual } from './raise.ts';
import type { AlertServices } from './sign-ins.ts';
import { HABIT_DAYS } from './store.ts';

/** Entries of the queue in one transaction. */
const BATCH = 1000;

interface Queued {
  readonly kind: 'use' | 'denial';
  readonly date: Date;
  readonly id: string;
  readonly org_id: string;
  readonly user_id: string;
  readonly remote_addr: string | null;
  readonly asset: string;
  readonly asset_id: string;
  readonly system_user: string;
  readonly system_user_id: string;
}

/**
 * Takes the next sessions and denied commands from the queue, raises their alerts and learns the
 * used accounts, in one transaction. Returns false if the queue is empty.
 */
export function readSessions({ db, settings, tellUsers }: AlertServices): Promise<boolean> {
  return db.transaction(async (tx) => {
    const { rows } = await sql<Queued>`
      with taken as (
        delete from alert_queue where id in (
          select id from alert_queue order by id limit ${BATCH} for update skip locked)
        returning id, kind, session, date)
      select q.kind, q.date, s.id, s.org_id, s.user_id, s.remote_addr, s.asset, s.asset_id,
        s."system_user", s.system_user_id
      from taken q join session s on s.id = q.session order by q.id`.execute(tx);
    if (rows.length === 0) return false;
    const zone = serverZone(settings);
    const events = rows.map((row) => ({
      row,
      base: {
        remoteAddress: row.remote_addr ?? '',
        session: row.id,
        organization: row.org_id,
        date: row.date,
        day: dayAndHourIn(zone, row.date.getTime()).day,
      },
    }));
    const denials = events
      .filter(({ row }) => row.kind === 'denial' && isUuid(row.user_id))
      .map(({ row, base }) => ({ ...base, userId: row.user_id }));
    const uses = events.filter(({ row }) => row.kind === 'use' && isUuid(row.user_id));
    const first = settings.get('ALERT_FIRST_USE')
      ? await firstUses(
          uses.map(({ row }) => row),
          tx,
        )
      : new Set<string>();
    const firstEvents = uses.flatMap(({ row, base }): Unusual[] =>
      first.has(row.id)
        ? [
            {
              ...base,
              userId: row.user_id,
              kind: 'first_use',
              subject: `${row.system_user}@${row.asset}`,
            },
          ]
        : [],
    );
    const language = settings.get('SERVER_LANGUAGE');
    await raiseAlerts(
      [...firstEvents, ...(await manyDenials(denials, settings, tx))],
      { tellUsers, language },
      tx,
    );
    await learnUses(
      uses.map(({ row }) => row),
      tx,
    );
    return true;
  });
}

const sentUses = (rows: readonly Queued[]) => sql`
  jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as s (id text, org_id text, asset_id text,
    system_user_id text, date timestamptz)`;

/**
 * Returns the sessions with an account that the organization did not use on an asset for 90 days,
 * although it used the asset. A new asset has only first uses, which say nothing.
 */
async function firstUses(rows: readonly Queued[], tx: Tx): Promise<ReadonlySet<string>> {
  if (rows.length === 0) return new Set();
  const since = sql`s.date - make_interval(days => ${HABIT_DAYS})`;
  const { rows: found } = await sql<{ id: string }>`
    select s.id from ${sentUses(rows)}
    where exists (select from account_use u where u.org_id = s.org_id and u.asset_id = s.asset_id
        and u.last_used > ${since})
      and not exists (select from account_use u where u.org_id = s.org_id
        and u.asset_id = s.asset_id and u.system_user_id = s.system_user_id
        and u.last_used > ${since})`.execute(tx);
  return new Set(found.map(({ id }) => id));
}

async function learnUses(rows: readonly Queued[], tx: Tx): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    insert into account_use (org_id, asset_id, system_user_id, last_used)
    select s.org_id, s.asset_id, s.system_user_id, max(s.date) from ${sentUses(rows)}
    group by s.org_id, s.asset_id, s.system_user_id
    order by s.org_id, s.asset_id, s.system_user_id
    on conflict (org_id, asset_id, system_user_id) do update
      set last_used = greatest(account_use.last_used, excluded.last_used)`.execute(tx);
}
