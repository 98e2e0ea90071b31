import { type Language, session as sessionResource } from '@sallyport/contract';
import { type Db, type Tx, transact } from '../../platform/db/database.ts';
import { isRecent } from '../../platform/db/recent.ts';
import { sql } from '../../platform/db/sql.ts';
import { userName } from '../../resources/relations/named-objects.ts';
import { ASSETS, approversOf, mayWatch } from '../perms/index.ts';
import { reviewersOf, type TellUsers } from '../tickets/index.ts';
import { notifySessionsChanged } from './session-news.ts';

/** Maximum stored events of one session: reviewers may come and go for ever. */
const MAX_EVENTS = 1000;

/** A change in a session that needs a second person. */
export interface PresenceEvent {
  readonly event: 'waits' | 'joined' | 'left' | 'passes';
  /** The reviewer; empty for other events. */
  readonly name: string;
  readonly date: Date;
}

/** A session by permissions that ask for a second person. */
interface WatchedSession {
  readonly person: { readonly userId: string; readonly display: string };
  readonly grant: {
    readonly asset: { readonly orgId: string; readonly hostname: string };
    readonly secondPerson?: { readonly ruleIds: readonly string[] };
  };
}

/** Finds the reviewers of permissions that ask for a second person. */
export function createSecondPersons({
  db,
  tellUsers,
  language,
}: {
  readonly db: Db;
  readonly tellUsers: TellUsers;
  readonly language: () => Language;
}) {
  const reviewers = async (
    { person, grant }: WatchedSession,
    ruleIds: readonly string[],
    viewerId?: string,
  ): Promise<readonly string[]> => {
    const { orgId: organizationId } = grant.asset;
    return reviewersOf(
      {
        organizationId,
        userId: person.userId,
        named: await approversOf(ASSETS, ruleIds, db),
        also: mayWatch(sql`${organizationId}`),
        first: viewerId,
      },
      db,
    );
  };
  return {
    /** Returns the name of a viewer who may be the second person of a session now. */
    async find(
      { userId }: { readonly userId: string },
      session: WatchedSession,
      ruleIds: readonly string[],
    ): Promise<string | undefined> {
      if (!(await reviewers(session, ruleIds, userId)).includes(userId)) return undefined;
      const { rows } = await sql<{ name: string }>`
        select ${userName('u')} as name from account u where u.id = ${userId}`.execute(db);
      return rows[0]?.name;
    },
    /** Returns true if any user may be the second person of a session. */
    hasAny: async (session: WatchedSession): Promise<boolean> =>
      (await reviewers(session, session.grant.secondPerson?.ruleIds ?? [])).length > 0,
    /**
     * Tells the reviewers that a session waits. A reviewer hears of a session at most once a
     * minute, however often input stops.
     */
    async tell(
      session: WatchedSession & { readonly id: string },
      ruleIds: readonly string[],
    ): Promise<void> {
      const { id, person, grant } = session;
      const all = await reviewers(session, ruleIds);
      await transact(db, async (tx) => {
        // Input that stops twice at once notifies once.
        await sql`select 1 from session where id = ${id} for no key update`.execute(tx);
        const { rows } = await sql<{ id: string }>`
          select a.id from account a where a.id = any (${all}::uuid[]) and not exists (
            select 1 from notification n where n.user_id = a.id and n.kind = 'second_person_asked'
              and n.resource_id = ${id} and ${isRecent(sql`n.date_created`, 1)})
          order by a.id`.execute(tx);
        await tellUsers(
          {
            kind: 'second_person_asked',
            to: rows.map((row) => row.id),
            subject: grant.asset.hostname,
            by: person.display,
            about: sessionResource,
            id,
            organization: grant.asset.orgId,
            language: language(),
          },
          tx,
        );
      });
    },
  };
}

/** Stores an event, and whether the session waits for a second person. */
export async function writePresence(
  tx: Tx,
  session: string,
  { event, name, date }: PresenceEvent,
): Promise<void> {
  await sql`insert into session_presence (session_id, event, name, date)
    select s.id, ${event}, ${name}, ${date} from session s
    where s.id = ${session} and (
      select count(*) from session_presence where session_id = s.id) < ${MAX_EVENTS}`.execute(tx);
  if (event !== 'waits' && event !== 'passes') return;
  await sql`update session set waits_since = ${event === 'waits' ? date : null}
    where id = ${session} and not is_finished`.execute(tx);
  await notifySessionsChanged(tx, [session]);
}
