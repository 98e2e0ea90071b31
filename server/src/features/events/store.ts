import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Db } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import type { KeptEvent } from './message.ts';

/** A receiver. Its secret is sealed. */
export interface ReceiverRow {
  readonly id: string;
  readonly name: string;
  readonly type: 'syslog' | 'webhook';
  readonly host: string;
  readonly port: number;
  readonly transport: 'tls' | 'tcp' | 'udp';
  readonly framing: 'octets' | 'newline';
  readonly url: string;
  readonly secret: string | null;
  readonly ca_certificate: string;
}

/** The exclusive right to send to one receiver for a limited time. */
export interface Lease {
  readonly receiver: ReceiverRow;
  readonly lease: string;
  readonly cursor: number;
  readonly attempts: number;
  /** Number of dropped events not yet reported to the receiver. */
  readonly untold: number;
}

/** Longer than any delivery. */
const LEASE_SECONDS = 90;
/** Events read per query. */
const BATCH = 200;
/** Maximum delay after a failure. */
const MOST_WAIT_SECONDS = 300;
/** Older events, and the oldest of more events, are dropped. */
export const KEPT_DAYS = 7;
export const KEPT_EVENTS = 1_000_000;
const PROBLEM_MAX = 300;

const COLUMNS = sql`r.id, r.name, r.type, r.host, r.port, r.transport, r.framing, r.url, r.secret,
  r.ca_certificate`;

/** True for a time that has come, and for one later than any wait: its clock was ahead. */
const isPast = (time: Sql) => sql`(${time} <= now()
  or ${time} > now() + make_interval(secs => ${MOST_WAIT_SECONDS + LEASE_SECONDS}))`;

/** Leases a receiver with pending events that no server sends to. Undefined if there is none. */
export async function takeReceiver(db: Db, holder: string): Promise<Lease | undefined> {
  const { rows } = await sql<ReceiverRow & Omit<Lease, 'receiver'>>`
    update event_delivery d set lease = ${randomUUID()}::uuid, holder = ${holder},
      lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
    from event_receiver r
    where r.id = d.receiver and d.receiver = (
      select due.receiver from event_delivery due join event_receiver x on x.id = due.receiver
      where x.is_active and ${isPast(sql`due.lease_until`)} and ${isPast(sql`due.next_try`)}
        and (due.dropped_untold > 0 or exists (select from event e where e.id > due.cursor))
      order by due.next_try limit 1 for update of due skip locked)
    returning ${COLUMNS}, d.lease, d.cursor, d.attempts, d.dropped_untold as untold`.execute(db);
  const [row] = rows;
  if (!row) return undefined;
  const { lease, cursor, attempts, untold, ...receiver } = row;
  return { receiver, lease, cursor, attempts, untold };
}

/** Ends leases that this server still had when it crashed. */
export async function giveAllBack(db: Db, holder: string): Promise<void> {
  await sql`update event_delivery set lease = null, lease_until = now()
    where holder = ${holder} and lease is not null`.execute(db);
}

export async function receiverById(db: Db, id: string): Promise<ReceiverRow | undefined> {
  return (
    await sql<ReceiverRow>`select ${COLUMNS} from event_receiver r where r.id = ${id}`.execute(db)
  ).rows[0];
}

/** Condition: receiver `r` subscribes to event `e`. */
const WANTED = sql`
  case e.kind when 'sign_in' then r.sends_sign_ins when 'operation' then r.sends_operations
    when 'password_change' then r.sends_password_changes
    when 'file' then r.sends_files when 'alert' then r.sends_alerts else r.sends_sessions end
  and (not r.default_organization and not exists (select from event_receiver_organizations o
    where o.event_receiver_id = r.id)
    or r.default_organization and e.org_id = ''
    or exists (select from event_receiver_organizations o where o.event_receiver_id = r.id
      and o.organization_id::text = e.org_id))`;

/** Reads the next events after the cursor, in order. `upTo` is the last event that was examined. */
export async function nextEvents(
  db: Db,
  { receiver, cursor }: Pick<Lease, 'receiver' | 'cursor'>,
): Promise<{ wanted: readonly KeptEvent[]; upTo: number }> {
  const { rows } = await sql<KeptEvent & { wanted: boolean }>`
    select e.id, e.event_id, e.kind, e.org_id, e.date, e.data, case e.org_id when '' then 'Default'
      else o.name end as org_name, ${WANTED} as wanted
    from (select * from event where id > ${cursor} order by id limit ${BATCH}) e
    join event_receiver r on r.id = ${receiver.id}
    left join organization o on o.id::text = e.org_id
    order by e.id`.execute(db);
  return { wanted: rows.filter(({ wanted }) => wanted), upTo: rows.at(-1)?.id ?? cursor };
}

/** Counts the events pending for receiver `t`, up to a limit. */
export const BACKLOG = sql`(select count(*)::int from (
  select from event e, event_receiver r, event_delivery d
  where r.id = t.id and d.receiver = r.id and r.is_active and e.id > d.cursor
    and ${WANTED} limit 10000) waiting)`;

/** Moves the cursor of a receiver. Returns false if the lease was lost. */
export async function advance(
  db: Db,
  { receiver, lease, untold }: Lease,
  upTo: number,
  hasDelivered: boolean,
): Promise<boolean> {
  const { rowCount } = await sql`
    update event_delivery set cursor = greatest(cursor, ${upTo}), attempts = 0, problem = '',
      next_try = now(), lease_until = now() + make_interval(secs => ${LEASE_SECONDS}),
      dropped_untold = dropped_untold - ${untold}, date_delivered = case
        when ${hasDelivered} then now() else date_delivered end
    where receiver = ${receiver.id} and lease = ${lease}`.execute(db);
  return rowCount === 1;
}

/** Ends the lease of a receiver. */
export async function giveBack(db: Db, { receiver, lease }: Lease): Promise<void> {
  await sql`update event_delivery set lease = null, lease_until = now()
    where receiver = ${receiver.id} and lease = ${lease}`.execute(db);
}

/** Ends the lease of a receiver after a failure. The delay doubles with each attempt. */
export async function postpone(
  db: Db,
  { receiver, lease, attempts }: Lease,
  problem: string,
): Promise<void> {
  const wait = Math.min(2 ** Math.min(attempts, 16), MOST_WAIT_SECONDS);
  await sql`
    update event_delivery set attempts = attempts + 1, problem = ${problem.slice(0, PROBLEM_MAX)},
      next_try = now() + make_interval(secs => ${wait}),
      lease = null, lease_until = now()
    where receiver = ${receiver.id} and lease = ${lease}`.execute(db);
}

/**
 * The time of the next attempt among receivers that wait after a failure. Undefined if none waits.
 */
export async function nextTry(db: Db): Promise<Date | undefined> {
  const { rows } = await sql<{ next: Date | null }>`
    select min(case when ${isPast(sql`greatest(d.next_try, d.lease_until)`)} then now()
        else greatest(d.next_try, d.lease_until) end) as next from event_delivery d
      join event_receiver r on r.id = d.receiver and r.is_active
    where d.dropped_untold > 0 or exists (select from event e where e.id > d.cursor)`.execute(db);
  return rows[0]?.next ?? undefined;
}

/**
 * Deletes events that every active receiver has, and those beyond the limits of age and number.
 * Receivers that missed events get their number.
 */
export async function trim(db: Db, keptEvents = KEPT_EVENTS): Promise<number> {
  return db.transaction(async (tx) => {
    const { rows } = await sql<{ old: number | null }>`
      select greatest((select max(id) from event
        where date < now() - make_interval(days => ${KEPT_DAYS})),
        (select id from event order by id desc offset ${keptEvents} limit 1)) as old`.execute(tx);
    const old = rows[0]?.old ?? 0;
    if (old > 0)
      await sql`
        with lost as (
          select d.receiver, (select count(*) from event e where e.id > d.cursor
            and e.id <= ${old} and ${WANTED}) as amount
          from event_delivery d join event_receiver r on r.id = d.receiver where r.is_active
            and d.cursor < ${old})
        update event_delivery d set cursor = ${old}, dropped = d.dropped + lost.amount,
          dropped_untold = d.dropped_untold + lost.amount
        from lost where lost.receiver = d.receiver`.execute(tx);
    const { rowCount } = await sql`
      delete from event
        where id <= coalesce((select min(d.cursor) from event_delivery d
        join event_receiver r on r.id = d.receiver where r.is_active),
        9223372036854775807)`.execute(tx);
    return rowCount;
  });
}

/**
 * Drops the undelivered events of a backup: the installation may have sent them after it.
 * Receivers with a gap hear of it. Returns the number of events.
 */
export async function dropPendingEvents(client: Pick<pg.ClientBase, 'query'>): Promise<number> {
  await client.query(`update event_delivery d set dropped = d.dropped + e.amount,
      dropped_untold = d.dropped_untold + e.amount
    from (select receiver, (select count(*) from event where id > cursor) as amount
      from event_delivery) e where e.receiver = d.receiver`);
  return (await client.query('delete from event')).rowCount ?? 0;
}
