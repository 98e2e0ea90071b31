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

/** Stores interrupted uploads. `hours` returns the setting that keeps them. */
export function createKeptUploads(db: Db, hours: () => number): KeptUploads {
  return {
    async find(session) {
      const { rows } = await sql<{
        part: Buffer;
        place: Buffer;
        bytes: number;
        replaced_size: number | null;
        replaced_at: number | null;
      }>`
        select k.part, k.place, k.bytes, k.replaced_size, k.replaced_at from kept_upload k
        where ${ofAccount(session)} and k.user_id = ${session.person.userId}
          and k.date_expired > now() and ${IS_FREE}
        order by k.date_expired desc limit ${MAX_UPLOADS}`.execute(db);
      return rows.map(({ replaced_size: size, replaced_at: modifiedAt, ...upload }) => ({
        ...upload,
        ...(size !== null && modifiedAt !== null && { replaced: { size, modifiedAt } }),
      }));
    },
    async claim(session, part) {
      const { rows } = await sql<{ part: Buffer }>`
        update kept_upload k set session = ${session.id}
        where ${ofAccount(session)} and k.part = ${part} and k.user_id = ${session.person.userId}
          and k.date_expired > now() and ${IS_FREE}
        returning k.part`.execute(db);
      return rows.length === 1;
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
          attempts = 0, date_tried = null
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
