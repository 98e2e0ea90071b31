import { setTimeout } from 'node:timers/promises';
import type { Db } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { KeptUploads } from '../../ports/kept-uploads.ts';
import type { NewSession } from '../../ports/records.ts';

/** Maximum interrupted uploads of a user, and their bytes. The oldest ones beyond are removed. */
const MAX_UPLOADS = 50;
const MAX_BYTES = 2 ** 40;
/** Maximum expired parts that the opening of a session removes. */
const MAX_REMOVED = 20;

/** Condition that no live session has the part of a row `k` open. A dead server has none. */
export const IS_FREE = sql`not exists (
  select 1 from session s where s.id = k.session and not s.is_finished)`;

/** Condition for the parts of a session's account. */
const ofAccount = ({ grant, account }: NewSession) =>
  sql`k.asset_id = ${grant.asset.id} and k.system_user_id = ${grant.systemUser.id}
    and k.account = ${account}`;

/** Seconds without progress after which the user may take an upload from an open session. */
const STALLED_SECONDS = 3;
/** Checks whether a holder has ended, and milliseconds between them. */
const [TAKE_CHECKS, TAKE_EVERY_MS] = [50, 100];

/** The server of a session hears here that the user continues its upload in another one. */
export const UPLOAD_TAKEN_CHANNEL = 'upload_taken';

/** Stores interrupted uploads. `hours` returns the setting that keeps them. */
export function createKeptUploads(
  db: Db,
  hours: () => number,
): Omit<KeptUploads, 'began' | 'ended'> {
  /** Gives a free upload to a session. Returns undefined if the upload does not exist. */
  const take = async (session: NewSession, part: Buffer): Promise<boolean | undefined> => {
    const { rows } = await sql<{ isTaken: boolean }>`
      with found as (
        select k.part from kept_upload k
        where ${ofAccount(session)} and k.part = ${part} and k.user_id = ${session.person.userId}
          and k.date_expired > now()
      ), taken as (
        update kept_upload k set session = ${session.id}, date_saved = now()
        from found
        where ${ofAccount(session)} and k.part = found.part and ${IS_FREE}
        returning k.part
      )
      select exists (select 1 from taken) as "isTaken" from found`.execute(db);
    return rows[0]?.isTaken;
  };
  return {
    async find(session) {
      const { rows } = await sql<{
        part: Buffer;
        place: Buffer;
        bytes: number;
        replaced_size: number | null;
        replaced_at: number | null;
        holder: string | null;
      }>`
        select k.part, k.place, k.bytes, k.replaced_size, k.replaced_at,
          case when not ${IS_FREE} then k.session end as holder
        from kept_upload k
        where ${ofAccount(session)} and k.user_id = ${session.person.userId}
          and k.date_expired > now() and (${IS_FREE} or (k.session <> ${session.id}
            and k.date_saved < now() - make_interval(secs => ${STALLED_SECONDS})))
        order by k.date_expired desc limit ${MAX_UPLOADS}`.execute(db);
      return rows.map(({ replaced_size: size, replaced_at: modifiedAt, holder, ...upload }) => ({
        ...upload,
        ...(holder !== null && { holder }),
        ...(size !== null && modifiedAt !== null && { replaced: { size, modifiedAt } }),
      }));
    },
    async claim(session, { part, holder }) {
      let isTaken = await take(session, part);
      if (isTaken !== false || !holder) return isTaken === true;
      await sql`select pg_notify(${UPLOAD_TAKEN_CHANNEL}, ${holder})`.execute(db);
      for (let check = 0; isTaken === false && check < TAKE_CHECKS; check++) {
        await setTimeout(TAKE_EVERY_MS);
        isTaken = await take(session, part);
      }
      return isTaken === true;
    },
    async save(session, { part, place, bytes, replaced }, state) {
      const keepHours = hours();
      if (state === 'kept' && keepHours === 0) return false;
      const { grant, account, person } = session;
      const expires = state === 'unwanted' ? 0 : keepHours;
      await sql`
        insert into kept_upload (asset_id, system_user_id, account, part, place, user_id, session,
          bytes, replaced_size, replaced_at, date_expired)
        values (${grant.asset.id}, ${grant.systemUser.id}, ${account}, ${part}, ${place},
          ${person.userId}, ${state === 'open' ? session.id : null}, ${bytes},
          ${replaced?.size ?? null}, ${replaced?.modifiedAt ?? null},
          now() + make_interval(hours => ${expires}))
        on conflict (asset_id, system_user_id, account, part) do update set
          session = excluded.session, bytes = excluded.bytes, date_expired = excluded.date_expired,
          attempts = 0, date_tried = null, date_saved = now()
        where kept_upload.user_id = excluded.user_id`.execute(db);
      if (state === 'kept') await limit(db, person.userId);
      return true;
    },
    async forget(session, part) {
      await sql`delete from kept_upload k where ${ofAccount(session)} and k.part = ${part}`.execute(
        db,
      );
    },
    async expired(session) {
      const { rows } = await sql<{ part: Buffer }>`
        select k.part from kept_upload k
        where ${ofAccount(session)} and k.date_expired <= now() and ${IS_FREE}
        order by k.date_expired limit ${MAX_REMOVED}`.execute(db);
      return rows.map(({ part }) => part);
    },
  };
}

/** Expires the oldest uploads of a user beyond the limits. */
async function limit(db: Db, userId: string): Promise<void> {
  await sql`
    update kept_upload k set date_expired = now()
    from (
      select asset_id, system_user_id, account, part,
        row_number() over (order by date_expired desc) as place,
        sum(bytes) over (order by date_expired desc, part) as total
      from kept_upload where user_id = ${userId} and session is null and date_expired > now()
    ) ranked
    where (k.asset_id, k.system_user_id, k.account, k.part)
        = (ranked.asset_id, ranked.system_user_id, ranked.account, ranked.part)
      and ranked.place > 1 and (ranked.place > ${MAX_UPLOADS} or ranked.total > ${MAX_BYTES})`.execute(
    db,
  );
}
