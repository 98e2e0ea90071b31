import type { Db, Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { userName } from '../../resources/relations/named-objects.ts';
import { mayWatch } from '../emergency/index.ts';
import { reviewersOf } from '../tickets/index.ts';
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
  readonly person: { readonly userId: string };
  readonly grant: {
    readonly asset: { readonly orgId: string };
    readonly secondPerson?: { readonly ruleIds: readonly string[] };
  };
}

/** Finds the reviewers of permissions that ask for a second person. */
export function createSecondPersons(db: Db) {
  const reviewers = async (
    { person, grant }: WatchedSession,
    ruleIds: readonly string[],
    viewerId?: string,
  ): Promise<readonly string[]> => {
    const { rows } = await sql<{ id: string }>`
      select user_id as id from asset_permission_approvers
      where asset_permission_id = any (${ruleIds}::uuid[])`.execute(db);
    const { orgId: organizationId } = grant.asset;
    return reviewersOf(
      {
        organizationId,
        userId: person.userId,
        named: rows.map(({ id }) => id),
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
