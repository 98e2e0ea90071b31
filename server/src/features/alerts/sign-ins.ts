import { dayAndHourIn, networkAround } from '@sallyport/contract';
import type { CountryOf } from '../../platform/countries/country-database.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { type SettingsService, serverZone } from '../../platform/settings/service.ts';
import type { TellUsers } from '../tickets/index.ts';
import { type Denial, manyDenials } from './denials.ts';
import { newCountries } from './new-countries.ts';
import { raiseAlerts, type Unusual } from './raise.ts';
import { HABIT_DAYS } from './store.ts';

/** Entries of the sign-in log in one transaction. */
const BATCH = 1000;

type Rules = Pick<SettingsService, 'get'>;

export interface AlertServices {
  readonly db: Db;
  readonly settings: Rules;
  readonly tellUsers: TellUsers;
  /** Absent if the operator configured no file of countries. */
  readonly countryOf?: CountryOf | undefined;
}

interface SignIn {
  readonly id: string;
  readonly user_id: string;
  readonly ip: string;
  readonly datetime: Date;
  readonly network: string;
  /** Day and hour in the time zone of the server. */
  readonly day: string;
  readonly hour: number;
}

/** A sign-in with the habits of its user from before the batch. */
interface Compared {
  readonly id: string;
  /** True if the user signed in before. */
  readonly is_known: boolean;
  /** True if the user signed in from the network in the period of habits. */
  readonly knows_network: boolean;
  /** Sign-ins in the period of habits. */
  readonly total: number;
  /** Sign-ins within an hour, on working days or on weekends like this one. */
  readonly near: number;
}

/**
 * Reads the next entries of the sign-in log, raises alerts of unusual sign-ins and learns the
 * habits of the users, in one transaction: each entry counts once, also after a crash. Returns
 * false if no entry is left, or another server reads them.
 */
export function readSignIns({
  db,
  settings,
  tellUsers,
  countryOf,
}: AlertServices): Promise<boolean> {
  return db.transaction(async (tx) => {
    const cursor = (
      await sql<{ position: number; alerts_from: Date }>`
        select position, alerts_from from alert_cursor where log = 'login_log'
        for update skip locked`.execute(tx)
    ).rows[0];
    if (!cursor) return false;
    const { rows } = await sql<Entry>`
      select id, sequence, user_id, ip, datetime, status from login_log
      where sequence > ${cursor.position} order by sequence limit ${BATCH}`.execute(tx);
    const last = rows.at(-1);
    if (!last) return false;
    const zone = serverZone(settings);
    const signIns = signInsOf(rows, zone);
    const failures = rows.filter(({ datetime }) => datetime >= cursor.alerts_from);
    const denials = await manyDenials(denialsOf(failures, zone), settings, tx);
    const language = settings.get('SERVER_LANGUAGE');
    const unusual = await unusualOf(signIns, { settings, countryOf, from: cursor.alerts_from }, tx);
    await raiseAlerts([...unusual, ...denials], { tellUsers, language }, tx);
    await learn(signIns, tx);
    await sql`update alert_cursor set position = ${last.sequence}
      where log = 'login_log'`.execute(tx);
    return rows.length === BATCH;
  });
}

interface Entry {
  readonly id: string;
  readonly sequence: number;
  readonly user_id: string | null;
  readonly ip: string;
  readonly datetime: Date;
  readonly status: boolean;
}

/** The successful sign-ins of accounts, with network and local time. */
function signInsOf(entries: readonly Entry[], zone: string): readonly SignIn[] {
  return entries.flatMap(({ id, user_id, ip, datetime, status }) => {
    const network = networkAround(ip);
    if (!status || user_id === null || network === undefined) return [];
    return [{ id, user_id, ip, datetime, network, ...dayAndHourIn(zone, datetime.getTime()) }];
  });
}

const denialsOf = (entries: readonly Entry[], zone: string): readonly Denial[] =>
  entries
    .filter(({ status }) => !status)
    .map(({ id, user_id: userId, ip, datetime: date }) => ({
      userId: userId ?? undefined,
      remoteAddress: ip,
      signIn: id,
      date,
      day: dayAndHourIn(zone, date.getTime()).day,
    }));

/** Returns the unusual sign-ins of a batch, in the order of the log; none from before `from`. */
async function unusualOf(
  signIns: readonly SignIn[],
  {
    settings,
    countryOf,
    from,
  }: Pick<AlertServices, 'settings' | 'countryOf'> & { readonly from: Date },
  tx: Tx,
): Promise<readonly Unusual[]> {
  const [watchesNetwork, watchesHour] = [
    settings.get('ALERT_NEW_NETWORK'),
    settings.get('ALERT_UNUSUAL_HOUR'),
  ];
  const watched = settings.get('ALERT_NEW_COUNTRY') ? countryOf : undefined;
  const fresh = signIns.filter(({ datetime }) => datetime >= from);
  if (fresh.length === 0 || !(watchesNetwork || watchesHour || watched)) return [];
  const compared = await compare(fresh, watchesHour, tx);
  const isNewNetwork = ({ id }: SignIn) => compared.get(id)?.knows_network === false;
  const countries = watched ? await newCountries(signIns, isNewNetwork, watched, tx) : undefined;
  // Networks of each user earlier in the batch, which are not among the habits yet.
  const earlier = new Map<string, Set<string>>();
  return signIns.flatMap(({ id, user_id: userId, ip, network, datetime: date, day }) => {
    const networks = earlier.get(userId) ?? new Set();
    const isFirst = networks.size === 0;
    const isRepeated = networks.has(network);
    earlier.set(userId, networks.add(network));
    const habits = compared.get(id);
    // From before the alerts, or the account was deleted since.
    if (!habits) return [];
    const base = { userId, remoteAddress: ip, signIn: id, date, day };
    const isNew =
      watchesNetwork && !isRepeated && !habits.knows_network && !(isFirst && !habits.is_known);
    const isUnusual =
      watchesHour &&
      habits.total >= settings.get('ALERT_UNUSUAL_HOUR_SIGN_INS') &&
      habits.near * 100 < habits.total * settings.get('ALERT_UNUSUAL_HOUR_SHARE');
    const country = countries?.get(id);
    return [
      ...(country ? [{ ...base, kind: 'new_country', subject: country } as const] : []),
      ...(isNew ? [{ ...base, kind: 'new_network', subject: network } as const] : []),
      ...(isUnusual ? [{ ...base, kind: 'unusual_hour', subject: '' } as const] : []),
    ];
  });
}

/**
 * Compares sign-ins with habits by their primary keys: at most 90 × 24 rows per user, however long
 * the log is.
 */
async function compare(
  signIns: readonly SignIn[],
  withHours: boolean,
  tx: Tx,
): Promise<ReadonlyMap<string, Compared>> {
  const { rows } = await sql<Compared>`
    select s.id, exists (select from sign_in_place p where p.user_id = s.user_id) as is_known,
      exists (select from sign_in_place p where p.user_id = s.user_id and p.network = s.network
        and p.last_seen > s.datetime - make_interval(days => ${HABIT_DAYS})) as knows_network,
      coalesce(h.total, 0)::int as total, coalesce(h.near, 0)::int as near
    from jsonb_to_recordset(${JSON.stringify(signIns)}::jsonb) as s (id uuid, user_id uuid,
      datetime timestamptz, network text, day date, hour integer)
    join account a on a.id = s.user_id
    left join lateral (
      select sum(t.amount) as total, sum(t.amount) filter (where
        mod(t.hour - s.hour + 25, 24) <= 2
        and (extract(isodow from t.day) > 5) = (extract(isodow from s.day) > 5)) as near
      from sign_in_hour t
      where ${withHours} and t.user_id = s.user_id and t.day > s.day - ${HABIT_DAYS}::int) h on true
  `.execute(tx);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Adds sign-ins to the habits of users who still exist. */
async function learn(signIns: readonly SignIn[], tx: Tx): Promise<void> {
  if (signIns.length === 0) return;
  const sent = sql`jsonb_to_recordset(${JSON.stringify(signIns)}::jsonb) as s (user_id uuid,
    datetime timestamptz, network text, day date, hour integer)
    join account a on a.id = s.user_id`;
  await sql`
    insert into sign_in_place (user_id, network, last_seen)
    select s.user_id, s.network, max(s.datetime) from ${sent} group by s.user_id, s.network
    order by s.user_id, s.network
    on conflict (user_id, network) do update
      set last_seen = greatest(sign_in_place.last_seen, excluded.last_seen)`.execute(tx);
  await sql`
    insert into sign_in_hour (user_id, day, hour, amount)
    select s.user_id, s.day, s.hour, count(*) from ${sent} group by s.user_id, s.day, s.hour
    order by s.user_id, s.day, s.hour
    on conflict (user_id, day, hour) do update
      set amount = sign_in_hour.amount + excluded.amount`.execute(tx);
}
