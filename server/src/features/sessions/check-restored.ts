import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { sealProblemOf } from '../../platform/storage/recordings.ts';
import type { BrokenSession } from '../audits/index.ts';
import type { SharedRecordings } from './recordings-elsewhere.ts';
import { restoredText, SIGNED_RESTORED } from './store.ts';

interface Options {
  readonly db: Db;
  readonly recordings: Pick<SharedRecordings, 'digestOf'>;
  readonly vault: Pick<Vault, 'isSignature'>;
}

interface Restored {
  readonly session: string;
  readonly start: Date;
  /** The reason if its parts could not be put together. */
  readonly problem: string | null;
  readonly size: number | null;
  readonly sha256: string | null;
  readonly signature: string | null;
}

/** A session, and the problem of its recording if there is one. */
type Checked = Pick<BrokenSession, 'session'> & Partial<BrokenSession>;

/**
 * Verifies the recordings that were restored from the parts of dead servers. Their sessions have no
 * digest until those servers return.
 */
export async function checkRestored({
  db,
  recordings,
  vault,
}: Options): Promise<readonly Checked[]> {
  const { rows } = await sql<Restored>`
    select c.session, s.date_start as start, c.problem, c.restored_size as size,
      c.restored_sha256 as sha256, c.restored_signature as signature
    from recording_copy c join session s on s.id = c.session
    where s.is_finished and s.awaits_holder and not s.is_canary
      and (c.problem is not null or c.restored_sha256 is not null)
    order by s.date_start desc`.execute(db);
  const checked: Checked[] = [];
  for (const row of rows) {
    const problem = await problemOf(row, { recordings, vault });
    checked.push({ session: row.session, ...(problem && { problem }) });
  }
  return checked;
}

async function problemOf(
  { session, start, problem, size, sha256, signature }: Restored,
  { recordings, vault }: Pick<Options, 'recordings' | 'vault'>,
): Promise<BrokenSession['problem'] | undefined> {
  if (size === null || sha256 === null) {
    if (problem === 'damaged') return 'recording_changed';
    return problem === 'missing' ? 'recording_missing' : 'recording_unreadable';
  }
  if (!vault.isSignature(signature ?? '', restoredText(session, { size, sha256 }), SIGNED_RESTORED))
    return 'recording_changed';
  // The bucket has it: no server is asked.
  const file = await recordings
    .digestOf({ id: session, startedAt: start, holder: null })
    .catch((error: unknown) => sealProblemOf(error) ?? 'unreadable');
  if (file === undefined) return 'recording_missing';
  if (file === 'unreadable' || file === 'locked') return 'recording_unreadable';
  if (file === 'damaged' || file.sha256 !== sha256 || file.size !== size)
    return 'recording_changed';
  return undefined;
}
