import type { Tx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { KeptUploads } from '../../ports/kept-uploads.ts';
import type { NewSession } from '../../ports/records.ts';

/** Names a partial file. Paths are in Base64, because they may be in any charset. */
interface NamedPart {
  readonly asset_id: string;
  readonly system_user_id: string;
  readonly account: string;
  readonly part: string;
}

interface BegunPart extends NamedPart {
  readonly place: string;
  readonly user_id: string;
  readonly session: string;
  readonly replaced_size: number | null;
  readonly replaced_at: number | null;
}

/** A journal entry about the partial file of an upload. */
export type PartEntry =
  | { readonly kind: 'part'; readonly began: BegunPart }
  | { readonly kind: 'part'; readonly ended: NamedPart };

const nameOf = ({ grant, account }: NewSession, part: Buffer): NamedPart => ({
  asset_id: grant.asset.id,
  system_user_id: grant.systemUser.id,
  account,
  part: part.toString('base64'),
});

/** Notes partial files in the journal. Without a note only a killed server leaves a part behind. */
export const createPartNotes = (
  note: (entry: PartEntry) => void,
): Pick<KeptUploads, 'began' | 'ended'> => ({
  began: (session, { part, place, replaced }) =>
    note({
      kind: 'part',
      began: {
        ...nameOf(session, part),
        place: place.toString('base64'),
        user_id: session.person.userId,
        session: session.id,
        replaced_size: replaced?.size ?? null,
        replaced_at: replaced?.modifiedAt ?? null,
      },
    }),
  ended: (session, part) => note({ kind: 'part', ended: nameOf(session, part) }),
});

/** Drops the entries of parts that began and ended within a batch: most uploads are brief. */
export function lastOfEach(entries: readonly PartEntry[]): readonly PartEntry[] {
  const last = new Map<string, PartEntry>();
  for (const entry of entries) {
    const { asset_id, system_user_id, account, part } =
      'began' in entry ? entry.began : entry.ended;
    const key = JSON.stringify([asset_id, system_user_id, account, part]);
    const before = last.get(key);
    if ('ended' in entry && before && 'began' in before) last.delete(key);
    else last.set(key, entry);
  }
  return [...last.values()];
}

/**
 * Writes entries about partial files. A row that the upload has written since has its progress, so
 * it stays.
 */
export async function writeParts(
  tx: Tx,
  entries: readonly PartEntry[],
  hours: number,
): Promise<void> {
  const ended = entries.flatMap((entry) => ('ended' in entry ? [entry.ended] : []));
  if (ended.length > 0)
    await sql`delete from kept_upload k
      using jsonb_to_recordset(${JSON.stringify(ended)}::jsonb)
        as e (asset_id text, system_user_id text, account text, part text)
      where (k.asset_id, k.system_user_id, k.account, k.part)
        = (e.asset_id, e.system_user_id, e.account, decode(e.part, 'base64'))`.execute(tx);
  const began = entries.flatMap((entry) => ('began' in entry ? [entry.began] : []));
  if (began.length > 0)
    await sql`insert into kept_upload (asset_id, system_user_id, account, part, place, user_id,
        session, bytes, replaced_size, replaced_at, date_expired)
      select asset_id, system_user_id, account, decode(part, 'base64'), decode(place, 'base64'),
        user_id, session, 0, replaced_size, replaced_at, now() + make_interval(hours => ${hours})
      from jsonb_to_recordset(${JSON.stringify(began)}::jsonb)
        as b (asset_id text, system_user_id text, account text, part text, place text,
          user_id text, session uuid, replaced_size bigint, replaced_at bigint)
      on conflict do nothing`.execute(tx);
}
