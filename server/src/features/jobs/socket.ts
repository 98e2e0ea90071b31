import { isUuid, type JobMessage, job, type Row } from '@sallyport/contract';
import type { WebSocket } from 'ws';
import type { Context } from '../../http/context.ts';
import type { Authenticator } from '../../http/route.ts';
import type { Bus } from '../../platform/bus/bus.ts';
import type { Db } from '../../platform/db/database.ts';
import { describeProblem } from '../../platform/errors.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import { linesAfter } from './store.ts';
import { MAXIMUM_BACKLOG, Watchers } from './watchers.ts';

/** News of one job are sent at most this often; what happened in between is in the next ones. */
const SEND_MILLISECONDS = 200;
/**
 * Whether the person is still signed in and may see the job is asked this often, also without news.
 */
const IDLE_RECHECK_MILLISECONDS = 15_000;
/** A job that may begin later is waited for this long. */
const WAIT_MILLISECONDS = 60_000;
const CLOSE = { normal: 1000, policy: 1008 } as const;

export interface JobSocketOptions {
  readonly db: Db;
  readonly engines: Engines;
  readonly jobs: Jobs;
  readonly authenticator: Authenticator;
  readonly bus: Bus;
}

/** Shows jobs live to people who may see them. */
export function createJobSockets({
  db,
  engines,
  jobs,
  authenticator,
  bus,
}: JobSocketOptions): (socket: WebSocket, context: Context) => Promise<void> {
  const watchers = new Watchers(authenticator);
  /** Ends the sockets of a sign-in, by its id. */
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

    // It listens only. Anything that is sent is a mistake, and is not kept.
    socket.on('message', () => socket.close(CLOSE.policy, 'nothing is expected'));
    socket.on('pong', () => {
      isAnswering = true;
    });
    const leave = watchers.enter(first.actor.userId);
    if (!leave) return close('too_many_requests');

    const tell = async (): Promise<void> => {
      timer = undefined;
      if (socket.readyState !== socket.OPEN) return;
      if (socket.bufferedAmount > MAXIMUM_BACKLOG) return later();
      if (!(await isAllowed())) return close('not_authenticated');
      // Through the reader of the resource: it adds what this person may see.
      const [row] = isUuid(id) ? await engineOf(engines, job).reader.rows([id], context()) : [];
      // Waiting for a job that does not exist looks the same as for one that this person may not
      // see.
      if (!row && !wasSeen && performance.now() < waitsUntil) return;
      if (!row) return close('not_found');
      wasSeen = true;
      const lines = await linesAfter(db, id, lastLine, first.zone);
      lastLine = lines.at(-1)?.line ?? lastLine;
      if (lines.length > 0) send({ type: 'log', lines });
      send({ type: 'job', job: row as Row<typeof job> });
      if (row.state !== 'queued' && row.state !== 'running') socket.close(CLOSE.normal, 'over');
    };
    const tellSafely = () => void tell().catch(() => socket.close(1011));
    function later(): void {
      timer ??= setTimeout(tellSafely, SEND_MILLISECONDS);
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
    await tell();
  };
}
