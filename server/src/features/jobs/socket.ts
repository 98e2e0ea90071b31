import { allows, isUuid, type JobMessage, job, Permission, type Row } from '@sallyport/contract';
import type { WebSocket } from 'ws';
import type { Context } from '../../http/context.ts';
import type { Authenticator } from '../../http/route.ts';
import type { Bus } from '../../platform/bus/bus.ts';
import type { Db } from '../../platform/db/database.ts';
import { describeProblem } from '../../platform/errors.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import { linesAfter } from './monitor-store.ts';

/** Maximum sockets of a user, per kind. */
const MAXIMUM_SOCKETS = 20;
/** Maximum age of the last sign-in check when a message is sent. */
const RECHECK_MILLISECONDS = 2_000;
/** Maximum unread bytes of a client. Beyond it, sending pauses. */
export const MAXIMUM_BACKLOG = 256 * 1024;

/** A user who watches jobs over a socket, with repeated sign-in checks. */
interface Watcher {
  /** The request, with the actor as of the last check. */
  readonly context: () => Context;
  /** Returns true if the user may still watch. Checks again if the last check is old. */
  readonly isAllowed: () => Promise<boolean>;
}

/** Counts the sockets of each user, and repeats their sign-in checks. */
export class Watchers {
  private readonly authenticator: Authenticator;
  private readonly open = new Map<string, number>();

  constructor(authenticator: Authenticator) {
    this.authenticator = authenticator;
  }

  /**
   * Reserves a socket for a user. Returns the function that releases it, or undefined if the user
   * has too many.
   */
  enter(userId: string): (() => void) | undefined {
    const count = (this.open.get(userId) ?? 0) + 1;
    if (count > MAXIMUM_SOCKETS) return undefined;
    this.open.set(userId, count);
    return () => {
      const left = (this.open.get(userId) ?? 1) - 1;
      if (left > 0) this.open.set(userId, left);
      else this.open.delete(userId);
    };
  }

  /** Follows the user of a request, who may sign out, be disabled or get another role. */
  follow(first: Context): Watcher {
    let context = first;
    let checkedAt = performance.now();
    return {
      context: () => context,
      isAllowed: async () => {
        if (performance.now() - checkedAt <= RECHECK_MILLISECONDS) return true;
        checkedAt = performance.now();
        const actor = await this.authenticator.authenticate(first.request);
        if (!actor?.isValid || !allows(actor.permissions, Permission.USE)) return false;
        context = { ...context, actor };
        return true;
      },
    };
  }
}

/**
 * Minimum interval between messages about a job. Later changes are merged into the next message.
 */
const SEND_MILLISECONDS = 200;
/** Interval between checks of the sign-in and of access to the job, even without changes. */
const IDLE_RECHECK_MILLISECONDS = 15_000;
/** Maximum wait for a job that does not exist yet. */
const WAIT_MILLISECONDS = 60_000;
const CLOSE = { normal: 1000, policy: 1008 } as const;

export interface JobSocketOptions {
  readonly db: Db;
  readonly engines: Engines;
  readonly jobs: Jobs;
  readonly authenticator: Authenticator;
  readonly bus: Bus;
}

/** Shows jobs live to users with access. */
export function createJobSockets({
  db,
  engines,
  jobs,
  authenticator,
  bus,
}: JobSocketOptions): (socket: WebSocket, context: Context) => Promise<void> {
  const watchers = new Watchers(authenticator);
  /** Functions that end the sockets of a sign-in session, by its id. */
  const enders = new Map<string, Set<() => void>>();
  bus.subscribe('signed_out', (sessionId) => {
    for (const end of enders.get(sessionId) ?? []) end();
  });

  return async (socket, first) => {
    const { context, isAllowed } = watchers.follow(first);
    const id = first.query.get('job') ?? '';
    let lastLine = 0;
    let timer: NodeJS.Timeout | undefined;
    let isAnswering = true;
    const waitsUntil = first.query.get('wait') === '1' ? performance.now() + WAIT_MILLISECONDS : 0;
    let wasSeen = false;
    const send = (message: JobMessage) => socket.send(JSON.stringify(message));
    const close = (code: 'not_found' | 'not_authenticated' | 'too_many_requests') => {
      const problem = code === 'too_many_requests' ? { code, params: { seconds: 60 } } : { code };
      send({ type: 'closed', code, message: describeProblem(problem, first.language) });
      socket.close(CLOSE.policy, code);
    };

    // Clients must not send messages.
    socket.on('message', () => socket.close(CLOSE.policy, 'nothing is expected'));
    socket.on('pong', () => {
      isAnswering = true;
    });
    const leave = watchers.enter(first.actor.userId);
    if (!leave) return close('too_many_requests');

    const sendUpdate = async (): Promise<void> => {
      timer = undefined;
      if (socket.readyState !== socket.OPEN) return;
      if (socket.bufferedAmount > MAXIMUM_BACKLOG) return later();
      if (!(await isAllowed())) return close('not_authenticated');
      // The reader of the resource adds columns for the caller.
      const [row] = isUuid(id) ? await engineOf(engines, job).reader.rows([id], context()) : [];
      // A missing job and an inaccessible one look the same.
      if (!row && !wasSeen && performance.now() < waitsUntil) return;
      if (!row) return close('not_found');
      wasSeen = true;
      const lines = await linesAfter(db, id, lastLine, first.zone);
      lastLine = lines.at(-1)?.line ?? lastLine;
      if (lines.length > 0) send({ type: 'log', lines });
      send({ type: 'job', job: row as Row<typeof job> });
      if (row.state !== 'queued' && row.state !== 'running') socket.close(CLOSE.normal, 'over');
    };
    const sendUpdateSafely = () => void sendUpdate().catch(() => socket.close(1011));
    function later(): void {
      timer ??= setTimeout(sendUpdateSafely, SEND_MILLISECONDS);
    }

    const ofSession = enders.get(first.actor.session.id) ?? new Set();
    const end = () => close('not_authenticated');
    enders.set(first.actor.session.id, ofSession.add(end));
    const stopWatching = jobs.watch(id, later);
    const rechecking = setInterval(() => {
      if (!isAnswering) return socket.terminate();
      isAnswering = false;
      socket.ping();
      later();
    }, IDLE_RECHECK_MILLISECONDS);
    socket.on('close', () => {
      stopWatching();
      ofSession.delete(end);
      if (ofSession.size === 0) enders.delete(first.actor.session.id);
      clearInterval(rechecking);
      clearTimeout(timer);
      leave();
    });
    await sendUpdate();
  };
}
