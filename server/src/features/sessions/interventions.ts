import {
  choice,
  INTERVENTION_MAX,
  INTERVENTIONS,
  type InterventionAction,
  Permission,
  type SessionLock,
  session,
  text,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { parameter, readBody, route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import { displayName } from '../../platform/actor.ts';
import { type Db, type Tx, transact } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { Conflict, invalid } from '../../platform/errors.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import type { AuditWriter } from '../../resources/hooks.ts';

/** The server of a session listens here for its interventions. */
export const INTERVENTIONS_CHANNEL = 'session_interventions';

/** An act of an administrator in a live session. */
interface Intervention {
  readonly action: InterventionAction;
  readonly who: string;
  /** The reason of a lock, or the message. */
  readonly text: string;
}

/** A session whose input is stopped. */
export interface LockedSession extends Intervention {
  readonly id: string;
}

export interface InterventionOptions {
  readonly db: Db;
  readonly engines: Engines;
  readonly audit: AuditWriter;
}

const BODY = {
  action: choice({ label: { en: 'Action', zh: '动作' }, choices: INTERVENTIONS, required: true }),
  text: text({
    label: { en: 'Reason or message', zh: '原因或消息' },
    max: INTERVENTION_MAX,
    required: false,
    defaultValue: '',
    example: 'Please wait: the database is being repaired.',
  }),
};
const LOCKED: SessionLock = {
  locked_by: 'Alice(alice)',
  lock_reason: 'Please wait: the database is being repaired.',
};
const UNLOCKED: SessionLock = { locked_by: null, lock_reason: '' };

/** Locks or unlocks an open row, or reads its lock. @throws Conflict when the session has ended */
async function writeLock(id: string, lock: SessionLock | undefined, tx: Tx): Promise<SessionLock> {
  const { rows } = await (lock
    ? sql<SessionLock>`update session set locked_by = ${lock.locked_by},
        lock_reason = ${lock.lock_reason}
        where id = ${id} and not is_finished returning locked_by, lock_reason`
    : sql<SessionLock>`select locked_by, lock_reason from session
        where id = ${id} and not is_finished`
  ).execute(tx);
  const [row] = rows;
  if (!row) throw new Conflict('session_gone');
  return row;
}

/** Stores and logs an intervention, and sends it to the server of the session at commit. */
async function intervene(
  { db, engines, audit }: InterventionOptions,
  context: Context,
): Promise<SessionLock> {
  const { action, text: said = '' } = readBody(context, BODY);
  const row = await engineOf(engines, session).reader.retrieve(parameter(context, 'id'), context);
  if (action === 'message' && said === '') throw invalid('text', 'blank');
  if (action === 'lock' && row.kind === 'desktop') throw new Conflict('lock_of_desktop');
  const who = displayName(context.actor);
  const id = String(row.id);
  return transact(db, async (tx) => {
    const lock = {
      lock: { locked_by: who, lock_reason: said },
      unlock: UNLOCKED,
      message: undefined,
    }[action];
    const written = await writeLock(id, lock, tx);
    await audit(tx, context, {
      action,
      resourceType: 'session',
      resource: `${row.user} → ${row.asset}`,
      resourceId: id,
      ...(said !== '' && {
        changes: { [action === 'message' ? 'message' : 'reason']: [null, said] },
      }),
    });
    await sql`select pg_notify(${INTERVENTIONS_CHANNEL},
      ${JSON.stringify({ id, action, who, text: said })})`.execute(tx);
    return written;
  });
}

/** The locks of the sessions among `ids`. */
export async function locksOf(ids: readonly string[], db: Db): Promise<readonly LockedSession[]> {
  const { rows } = await sql<{ id: string; who: string; text: string }>`
    select id, locked_by as who, lock_reason as text from session
    where id = any (${ids}::uuid[]) and locked_by is not null`.execute(db);
  return rows.map((row) => ({ ...row, action: 'lock' }));
}

/** The route by which administrators lock live sessions and write to their users. */
export function mountInterventions(app: FastifyInstance, options: InterventionOptions): void {
  route(app, {
    method: 'POST',
    url: '/api/v1/terminal/sessions/:id/interventions/',
    access: Permission.ADMIN,
    summary:
      'Lock the input of a live session, unlock it, or write a message on the screen of its user.',
    body: BODY,
    answer: samples<SessionLock>(LOCKED, UNLOCKED),
    handler: (context) => intervene(options, context),
  });
}
