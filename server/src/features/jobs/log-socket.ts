import { isUuid, job } from '@sallyport/contract';
import type { WebSocket } from 'ws';
import type { Context } from '../../http/context.ts';
import type { Authenticator } from '../../http/route.ts';
import type { Db } from '../../platform/db/database.ts';
import { describeProblem } from '../../platform/errors.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import { drawn } from './celery-routes.ts';
import { linesAfter } from './monitor-store.ts';
import { MAXIMUM_BACKLOG, Watchers } from './socket.ts';

/** The path at which established clients watch the log of a task. */
export const LOG_SOCKET_PATH = '/ws/ops/tasks/log/';

/** Interval between reads of the log. */
const LOOK_MILLISECONDS = 500;
/** Maximum time until the client names a task. */
const NAME_MILLISECONDS = 30_000;
const MOST_CHUNK = 4_096;
const POLICY = 1008;

interface LogSocketOptions {
  readonly db: Db;
  readonly engines: Engines;
  readonly authenticator: Authenticator;
}

function taskIn(data: unknown): string | undefined {
  try {
    const { task } = JSON.parse(String(data)) as { readonly task?: unknown };
    return isUuid(task) ? task : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The log of a task in the protocol of established clients (terminal.md, section 2). The client
 * names the task. The server sends dots until the task starts, then text for a terminal. Unlike
 * there, the server checks access to the job repeatedly.
 */
export function createLogSockets({
  db,
  engines,
  authenticator,
}: LogSocketOptions): (socket: WebSocket, context: Context) => Promise<void> {
  const watchers = new Watchers(authenticator);

  return async (socket, first) => {
    const { context, isAllowed } = watchers.follow(first);
    let task: string | undefined;
    let lastLine = 0;
    let hasBegun = false;
    let isLooking = false;
    const send = (message: string) => socket.send(JSON.stringify({ message, task }));
    const refuse = (
      code: 'not_found' | 'not_authenticated' | 'too_many_requests' | 'malformed_request',
    ) => {
      const problem = code === 'too_many_requests' ? { code, params: { seconds: 60 } } : { code };
      send(`${describeProblem(problem, first.language)}\r\n`);
      socket.close(POLICY, code);
    };
    const leave = watchers.enter(first.actor.userId);
    if (!leave) return refuse('too_many_requests');

    const look = async (): Promise<void> => {
      if (
        task === undefined ||
        socket.readyState !== socket.OPEN ||
        socket.bufferedAmount > MAXIMUM_BACKLOG
      )
        return;
      if (!(await isAllowed())) return refuse('not_authenticated');
      const [row] = await engineOf(engines, job).reader.rows([task], context());
      if (!row) return refuse('not_found');
      if (row.state === 'queued') return send('.');
      if (!hasBegun) send('\r\n');
      hasBegun = true;
      let lines = await linesAfter(db, task, lastLine, first.zone);
      while (lines.length > 0) {
        const { text, last = lastLine } = drawn(lines, MOST_CHUNK);
        send(text);
        lastLine = last;
        lines = lines.filter(({ line }) => line > last);
      }
      if (row.state === 'running') return;
      // Established clients stop at these words.
      send(
        row.state === 'succeeded'
          ? `Task ${task} succeeded in ${secondsOf(row)}s\r\n`
          : `Task ${task}: ${String(row.reason || row.state_display)}\r\n`,
      );
      socket.close(1000, 'over');
    };
    const lookOnce = () => {
      if (isLooking) return;
      isLooking = true;
      look()
        .catch(() => socket.close(1011))
        .finally(() => {
          isLooking = false;
        });
    };
    const timer = setInterval(lookOnce, LOOK_MILLISECONDS);
    const late = setTimeout(() => refuse('malformed_request'), NAME_MILLISECONDS);
    socket.on('message', (data) => {
      const taskId = taskIn(data);
      // A socket shows one task.
      if (taskId === undefined || task !== undefined) return refuse('malformed_request');
      task = taskId;
      clearTimeout(late);
      lookOnce();
    });
    socket.on('close', () => {
      clearInterval(timer);
      clearTimeout(late);
      leave();
    });
  };
}

function secondsOf({
  date_started: from,
  date_finished: to,
}: Readonly<Record<string, unknown>>): string {
  const milliseconds = Date.parse(String(to)) - Date.parse(String(from));
  return (Number.isFinite(milliseconds) ? Math.max(0, milliseconds) / 1000 : 0).toFixed(3);
}
