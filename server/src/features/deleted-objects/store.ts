import { isUuid, RESOURCES, type Resource } from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { notFound } from '../../platform/errors.ts';
import { dropDeleted } from '../../resources/deleted/expire.ts';
import type { OtherValues, Restored } from '../../resources/deleted/restore.ts';
import type { ResourceEngine } from '../../resources/engines.ts';

interface Restoring {
  readonly db: Db | Tx;
  readonly engineOf: (resource: Resource) => ResourceEngine;
  readonly caller: Caller;
  /** Names that replace taken ones. */
  readonly other?: OtherValues;
  /** An open transaction to join. */
  readonly tx?: Tx;
}

/** Restores a deleted object of the current organization. @throws like `Writer.restore` */
export async function restoreDeleted(
  id: string,
  { db, engineOf, caller, other, tx }: Restoring,
): Promise<Restored> {
  const { rows } = isUuid(id)
    ? await sql<{ resource: string }>`select resource from deleted_object where id = ${id}
        and org_id = ${caller.actor.organization.id}`.execute(tx ?? db)
    : { rows: [] };
  const resource = RESOURCES.find(({ name }) => name === rows[0]?.resource);
  if (!resource) throw notFound();
  return engineOf(resource).writer.restore(id, caller, {
    ...(other && { other }),
    ...(tx && { tx }),
  });
}

/** Deletes the objects whose period has ended. Returns their number. */
export const forgetDeleted = (days: number, db: Db): Promise<number> => dropDeleted(days, db);
