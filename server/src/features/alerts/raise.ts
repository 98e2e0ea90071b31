import type { AlertKind, Language } from '@sallyport/contract';
import type { Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { userName } from '../../resources/relations/named-objects.ts';
import { notifyUsers } from '../notifications/index.ts';
import type { TellUsers } from '../tickets/index.ts';
import { watchersOf } from './store.ts';

/** Most alerts of an organization in a day. The logs have what exceeds it. */
const MOST_A_DAY = 200;
/** Unread alerts of a user above which further ones raise no notification. */
const MOST_UNREAD = 20;
/** Most characters of a notification's subject. */
const MOST_SUBJECT = 256;

/** The page of the user concerned, with the own sign-ins. */
const PROFILE = { about: { name: 'login_log', path: 'users' }, id: 'profile' } as const;

/** Notifies users in the language of the installation. */
export interface Telling {
  readonly tellUsers: TellUsers;
  readonly language: Language;
}

/** An unusual event of a user. */
export interface Unusual {
  readonly kind: AlertKind;
  /** Absent for events of an address without a user. */
  readonly userId?: string;
  readonly subject: string;
  readonly remoteAddress: string;
  readonly signIn?: string;
  readonly session?: string;
  /** Number of denials. */
  readonly amount?: number;
  /** The only organization of the alert. Absent: those of the user. */
  readonly organization?: string;
  readonly date: Date;
  /** Day of the event in the time zone of the server. Absent: today. */
  readonly day?: string;
}

interface RaisedAlert {
  readonly id: string;
  readonly organization: string;
  readonly kind: AlertKind;
  readonly user: string;
  readonly user_id: string;
  readonly subject: string;
  readonly remote_addr: string;
}

/**
 * Raises alerts in each organization of the users, once per kind, subject and day, and notifies the
 * users concerned, the administrators and the auditors.
 */
export async function raiseAlerts(
  events: readonly Unusual[],
  telling: Telling,
  tx: Tx,
): Promise<void> {
  if (events.length === 0) return;
  const sent = events.map(({ userId, remoteAddress, signIn, day, ...event }) => ({
    ...event,
    user_id: userId,
    remote_addr: remoteAddress,
    sign_in: signIn,
    on_day: day,
  }));
  // An account without organizations belongs to the default one. Organizations see nothing of a
  // user from before the membership.
  const { rows } = await sql<RaisedAlert>`
    with found as (
      select e.kind, e.user_id, e.subject, e.remote_addr, e.sign_in, e.session, e.amount, e.date,
        e.day, coalesce(a.username, '') as username,
        coalesce(${userName('a')}, nullif(e.remote_addr, ''), 'System') as name, o.organization,
        row_number() over (partition by o.organization, e.day order by e.date) as place
      from (select given.*, coalesce(given.on_day, session_today()) as day
        from jsonb_to_recordset(${JSON.stringify(sent)}::jsonb) as given (kind text, user_id uuid,
          subject text, remote_addr text, sign_in uuid, session uuid, amount integer,
          organization text, date timestamptz, on_day date)) e
      left join account a on a.id = e.user_id
      cross join lateral (
        select e.organization where e.organization is not null
        union all select * from (
          select distinct m.organization_id::text from organization_member m
          where e.organization is null and m.user_id = a.id and (m.date_joined <= e.date
            or a.home_organization_id = m.organization_id)) member
        union all select '' where e.organization is null and not exists (
          select from organization_member m where m.user_id = a.id)) o (organization)
      where e.user_id is null or a.id is not null)
    insert into alert (org_id, kind, "user", username, user_id, subject, remote_addr, sign_in,
      session, amount, datetime, day)
    select f.organization, f.kind, f.name, f.username, coalesce(f.user_id::text, ''), f.subject,
      f.remote_addr, f.sign_in, f.session, f.amount, f.date, f.day
    from found f
    where f.place + (select count(*) from alert x where x.org_id = f.organization
      and x.day = f.day) <= ${MOST_A_DAY}
    order by f.date
    on conflict (org_id, day, kind, user_id, subject) do nothing
    returning id, org_id as organization, kind, "user", user_id, subject, remote_addr`.execute(tx);
  await askUsers(rows, telling, tx);
  await tellWatchers(rows, tx);
}

const aboutOf = ({ subject, remote_addr: address }: RaisedAlert) =>
  (subject === '' || subject === address ? address : `${subject} (${address})`).slice(
    0,
    MOST_SUBJECT,
  );

/** Asks users whether the sign-in from a new network was theirs, once for all organizations. */
async function askUsers(
  raised: readonly RaisedAlert[],
  { tellUsers, language }: Telling,
  tx: Tx,
): Promise<void> {
  const own = raised.filter(({ kind }) => kind === 'new_network');
  const once = new Map(own.map((alert) => [`${alert.user_id} ${alert.subject}`, alert]));
  for (const alert of once.values())
    await tellUsers(
      {
        kind: 'own_new_network',
        to: [alert.user_id],
        subject: aboutOf(alert),
        by: '',
        ...PROFILE,
        language,
      },
      tx,
    );
}

/** Notifies administrators and auditors, except those who have many unread alerts. */
async function tellWatchers(raised: readonly RaisedAlert[], tx: Tx): Promise<void> {
  for (const [organization, alerts] of Map.groupBy(raised, (alert) => alert.organization)) {
    const watchers = await watchersOf(organization, MOST_UNREAD, tx);
    for (const alert of alerts) {
      const users = [...watchers].filter(
        ([id, unread]) => unread < MOST_UNREAD && (id !== alert.user_id || watchers.size === 1),
      );
      for (const [id, unread] of users) watchers.set(id, unread + 1);
      await notifyUsers(
        {
          kind: `alert_${alert.kind}`,
          users: users.map(([id]) => id),
          subject: aboutOf(alert),
          by: alert.user,
          resource: 'alert',
          resourceId: alert.id,
          organization,
        },
        tx,
      );
    }
  }
}
