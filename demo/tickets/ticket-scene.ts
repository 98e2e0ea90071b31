import { displayName } from '../../server/src/platform/actor.ts';
import type { Tx } from '../../server/src/platform/db/database.ts';
import { sql } from '../../server/src/platform/db/sql.ts';
import {
  EMERGENCY_ACCOUNT,
  type FilledAccounts,
  PLAYGROUND_ACCOUNT,
} from '../estate/fill-accounts.ts';
import type { SampleAsset } from '../estate/fill-assets.ts';
import type { FilledPeople } from '../people/fill-people.ts';
import type { Random } from '../random.ts';
import { type SampleTicket, TICKETS } from './sample-tickets.ts';

const DAY = 86_400_000;

/** Objects of the sample tickets. */
export interface TicketSources {
  readonly people: FilledPeople;
  readonly assets: readonly SampleAsset[];
  readonly accounts: FilledAccounts;
}

type TicketName = keyof typeof TICKETS;
interface Person {
  readonly id: string;
  readonly name: string;
  readonly username: string;
}

/** Everything that the sample tickets refer to. */
export interface TicketScene {
  readonly tx: Tx;
  readonly random: Random;
  readonly now: Date;
  readonly tickets: Readonly<Record<TicketName, SampleTicket>>;
  idOf(ticket: TicketName): string;
  /** @throws Error for an unknown username */
  personOf(username: string): Person;
  requesterOf(ticket: SampleTicket): { readonly id: string; readonly display: string };
  /** A recorded session, which the emergency access of the samples opened. */
  readonly session: UsedSession;
  readonly web: SampleAsset;
  readonly playground: SampleAsset;
  /** Ids of system users. */
  readonly guest: string;
  /** The account that only emergency access gives at the playground. */
  readonly ops: string;
  readonly reader: string;
  /** Name of a MySQL database. */
  readonly database: string | undefined;
}

interface UsedSession {
  readonly id: string;
  readonly user_id: string;
  readonly user: string;
  readonly asset_id: string;
  readonly asset: string;
  readonly system_user_id: string;
  readonly start: Date;
  readonly end: Date;
}

/** Finds the objects of the sample tickets. @throws Error if one is missing */
export async function openScene(
  tx: Tx,
  random: Random,
  now: Date,
  { people, assets, accounts }: TicketSources,
): Promise<TicketScene> {
  const admin = await findAdmin(tx);
  const session = await findUsedSession(tx);
  const web = assets.find(({ hostname }) => hostname === 'sh-web-01');
  const playground = assets.find(({ hostname }) => hostname === 'demo-db-01');
  const guest = accounts.systemUsers.get(PLAYGROUND_ACCOUNT)?.id;
  const ops = accounts.systemUsers.get(EMERGENCY_ACCOUNT)?.id;
  const reader = accounts.systemUsers.get('只读 readonly')?.id;
  if (!web || !playground || !guest || !ops || !reader || !session)
    throw new Error('sample data for the tickets is missing');
  const tickets = { ...TICKETS, emergency: emergencyTicket(session, now) };
  const ids = new Map(Object.keys(tickets).map((name) => [name, random.uuid()]));
  const personOf = (username: string): Person => {
    const person = username === 'admin' ? admin : people.accounts.get(username);
    if (!person) throw new Error(`the sample tickets name the unknown user ${username}`);
    return person;
  };
  return {
    tx,
    random,
    now,
    tickets,
    idOf: (ticket) => ids.get(ticket) ?? '',
    personOf,
    requesterOf: ({ who }) =>
      who === session.user_id
        ? { id: who, display: session.user }
        : { id: personOf(who).id, display: displayName(personOf(who)) },
    session,
    web,
    playground,
    guest,
    ops,
    reader,
    database: await findDatabase(tx),
  };
}

/** The ticket of the emergency access: the user of the session requested it on that day. */
const emergencyTicket = (
  { user_id, user, asset, start }: UsedSession,
  now: Date,
): SampleTicket => ({
  ...TICKETS.emergency,
  who: user_id,
  title: `${user} 紧急访问 ${asset}`,
  days: Math.max(0, (now.getTime() - start.getTime()) / DAY),
});

async function findAdmin(tx: Tx): Promise<Person | undefined> {
  const { rows } = await sql<{ id: string; name: string; username: string }>`
    select id, name, username from account where username = 'admin'`.execute(tx);
  return rows[0];
}

/** Finds the newest recorded session of a suitable user. */
async function findUsedSession(tx: Tx): Promise<UsedSession | undefined> {
  const { rows } = await sql<UsedSession>`
    select id, user_id, "user", asset_id, asset, system_user_id,
      date_start as start, date_end as "end"
    from session
    where date_end is not null and has_replay and org_id = '' and "user" not like '%demo%'
    order by command_amount desc, date_start desc limit 1`.execute(tx);
  return rows[0];
}

async function findDatabase(tx: Tx): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`
    select name from database_app where type = 'mysql' order by name limit 1`.execute(tx);
  return rows[0]?.name;
}
