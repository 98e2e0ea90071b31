import type { Caller } from '../../platform/actor.ts';
import type { Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { Conflict, notFound } from '../../platform/errors.ts';
import type { AuditWriter } from '../../resources/hooks.ts';
import { type HostKeyRow, PIN_COLUMNS, PINS } from './host-keys.ts';

interface Options {
  readonly audit: AuditWriter;
  readonly caller: Caller;
  readonly tx: Tx;
}

/** The name of a pin in logs and change sets. */
export const nameOfPin = ({ name, host, port }: HostKeyRow): string => `${name} ${host}:${port}`;

/** @throws NotFound */
async function lockPin(id: string, { caller, tx }: Options): Promise<HostKeyRow> {
  const { rows } = await sql<HostKeyRow>`select ${PIN_COLUMNS} from ${PINS}
    where k.id = ${id} and k.org_id = ${caller.actor.organization.id} for update of k`.execute(tx);
  const [pin] = rows;
  if (!pin) throw notFound();
  return pin;
}

/**
 * Replaces a pin by the key that the server offered, if that is the reviewed one.
 * @throws NotFound, Conflict if the server has offered another key since
 */
export async function acceptHostKey(
  { id, fingerprint }: { readonly id: string; readonly fingerprint: string },
  options: Options,
): Promise<{ readonly before: HostKeyRow; readonly after: HostKeyRow }> {
  const { audit, caller, tx } = options;
  const before = await lockPin(id, options);
  if (before.offered_fingerprint === null) throw notFound();
  if (before.offered_fingerprint !== fingerprint) throw new Conflict('host_key_other');
  await sql`
    update host_key set key_type = offered_key_type, public_key = offered_public_key,
      fingerprint = offered_fingerprint, date_pinned = now(),
      offered_key_type = null, offered_public_key = null, offered_fingerprint = null,
        date_offered = null where id = ${id}`.execute(tx);
  await audit(tx, caller, {
    action: 'accept',
    resourceType: 'host_key',
    resource: nameOfPin(before),
    resourceId: id,
    changes: { fingerprint: [before.fingerprint, fingerprint] },
  });
  return { before, after: await lockPin(id, options) };
}

/** Deletes a pin and returns it. @throws NotFound */
export async function forgetHostKey(id: string, options: Options): Promise<HostKeyRow> {
  const { audit, caller, tx } = options;
  const pin = await lockPin(id, options);
  await sql`delete from host_key where id = ${id}`.execute(tx);
  await audit(tx, caller, {
    action: 'delete',
    resourceType: 'host_key',
    resource: nameOfPin(pin),
    resourceId: id,
    changes: { fingerprint: [pin.fingerprint, null] },
  });
  return pin;
}
