import { DEAD_AFTER_SECONDS } from '../../features/servers/index.ts';
import {
  GUESTS_CHANNEL,
  INTERVENTIONS_CHANNEL,
  type LockedSession,
  type SessionRows,
} from '../../features/sessions/index.ts';
import type { Bus } from '../../platform/bus/bus.ts';
import type { Logger } from '../../platform/log.ts';
import type { Gateway } from '../gateway.ts';
import { UPLOAD_TAKEN_CHANNEL } from './files/kept-uploads.ts';

/** Debounce: a burst of changes causes one check of the live sessions. */
const RECHECK_DELAY_MILLISECONDS = 200;

/** Applies published changes to live sessions: rights, sign-outs, guests, terminations. */
export function listenToBus(
  bus: Bus,
  { hub, closeDead }: Gateway,
  rows: Pick<SessionRows, 'interruptOrphans'>,
  log: Logger,
): void {
  let pending: NodeJS.Timeout | undefined;
  const recheck = () => {
    if (pending) return;
    pending = setTimeout(() => {
      pending = undefined;
      hub
        .recheck()
        .catch((error: unknown) =>
          log.error({ error: String(error) }, 'the live sessions could not be checked'),
        );
    }, RECHECK_DELAY_MILLISECONDS);
  };
  bus.subscribe('grants', recheck, recheck);
  bus.subscribe('standing', recheck, recheck);
  bus.subscribe('signed_out', (sessionId) => hub.signOut(sessionId));
  bus.subscribe(UPLOAD_TAKEN_CHANNEL, (sessionId) =>
    hub.interrupt([sessionId], 'session_finished'),
  );
  const recheckGuests = () => {
    hub
      .recheckGuests()
      .catch((error: unknown) =>
        log.error({ error: String(error) }, 'the guests could not be checked'),
      );
  };
  bus.subscribe(GUESTS_CHANNEL, recheckGuests, recheckGuests);
  bus.subscribe('terminate', (payload) => {
    const { id, who, why } = JSON.parse(payload) as { id: string; who: string; why: string };
    if (hub.terminate(id, who, why)) return;
    // The live session is missing: only its row is open.
    Promise.all([closeDead(id), rows.interruptOrphans(DEAD_AFTER_SECONDS, id)]).catch(
      (error: unknown) =>
        log.error(
          { session: id, error: String(error) },
          'the row of a dead session could not be closed',
        ),
    );
  });
}

/** Applies locks and messages of administrators to live sessions. */
export function listenToInterventions(
  bus: Bus,
  { hub }: Gateway,
  locks: (ids: readonly string[]) => Promise<readonly LockedSession[]>,
  log: Logger,
): void {
  // Interventions may have been published while the bus was away.
  const readLocks = async () => {
    const ids = hub.list().map(({ id }) => id);
    const locked = new Map((await locks(ids)).map((lock) => [lock.id, lock]));
    for (const id of ids)
      hub.intervene(id, locked.get(id) ?? { action: 'unlock', who: 'Sallyport', text: '' });
  };
  bus.subscribe(
    INTERVENTIONS_CHANNEL,
    (payload) => {
      const { id, ...intervention } = JSON.parse(payload) as LockedSession;
      hub.intervene(id, intervention);
    },
    () => {
      readLocks().catch((error: unknown) =>
        log.error({ error: String(error) }, 'the locks of sessions could not be read'),
      );
    },
  );
}
