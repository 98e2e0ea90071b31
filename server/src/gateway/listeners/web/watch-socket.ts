import type { Problem } from '@sallyport/contract';
import type { WebSocket } from 'ws';
import type { Hub } from '../../hub.ts';
import type { Viewer } from '../../ports.ts';
import { problemOf } from '../../refusal.ts';
import type { Watcher } from '../../sessions/session-client.ts';
import { parseClientMessage } from './messages.ts';
import { CLOSE, ProtocolSocket } from './socket.ts';

/** A watcher this far behind is shown the screen afresh when it has caught up, instead of everything between. */
const TOO_FAR_BEHIND = 512 * 1024;

/** Shows what a socket is to see of a session; `snapshot` is the screen as it is now, for one that is too slow. */
export function watcherOf(client: () => ProtocolSocket, snapshot: () => Buffer | undefined): Watcher {
  let behind = false;
  const caughtUp = () => {
    if (!behind || client().backlog > 0) return;
    const screen = snapshot();
    if (!screen) return;
    behind = false;
    client().sendBytes(screen, caughtUp);
  };
  return {
    output: (chunk) => {
      if (behind) return;
      behind = client().backlog > TOO_FAR_BEHIND;
      if (!behind) client().sendBytes(chunk, caughtUp);
    },
    resize: (cols, rows) => client().send({ type: 'resize', cols, rows }),
    closed: (problem: Problem) => client().finish(problem),
  };
}

/** Shows a live session to a viewer who may watch it; the caller has checked that. */
export function serveWatch(hub: Hub, socket: WebSocket, sessionId: string, viewer: Viewer): void {
  let stop: (() => void) | undefined;
  let snapshot: (() => Buffer) | undefined;
  const client = new ProtocolSocket(socket, viewer.language, {
    onText: (text) => {
      // A watcher's terminal acknowledges what it has drawn, as every terminal does; nothing waits for it.
      if (parseClientMessage(text)?.type !== 'ack') client.close(CLOSE.policy, 'a watcher cannot type');
    },
    onBytes: () => client.close(CLOSE.policy, 'a watcher cannot type'),
    onGone: () => stop?.(),
  });
  const watcher = watcherOf(
    () => client,
    () => snapshot?.(),
  );
  try {
    ({ stop, snapshot } = hub.watch(sessionId, watcher, viewer));
  } catch (error) {
    client.finish(problemOf(error));
  }
}
