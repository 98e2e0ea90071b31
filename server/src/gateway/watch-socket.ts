import type { Language, Problem } from '@sallyport/contract';
import type { WebSocket } from 'ws';
import type { Hub } from './hub.ts';
import { parseClientMessage } from './messages.ts';
import type { Watcher } from './near-end.ts';
import { problemOf } from './refusal.ts';
import { CLOSE, ProtocolSocket } from './socket.ts';

/** A watcher this far behind is shown the screen afresh when it has caught up, instead of everything between. */
const TOO_FAR_BEHIND = 512 * 1024;

/** Shows a live session to somebody who may watch it; the caller has checked that. */
export function serveWatch(hub: Hub, socket: WebSocket, sessionId: string, language: Language): void {
  let stop: (() => void) | undefined;
  let snapshot: (() => Buffer) | undefined;
  let behind = false;
  const near = new ProtocolSocket(socket, language, {
    onText: (text) => {
      // A terminal acknowledges what it has drawn, and a watcher is one too; nobody waits for it.
      if (parseClientMessage(text)?.type !== 'ack') near.close(CLOSE.policy, 'a watcher only looks on');
    },
    onBytes: () => near.close(CLOSE.policy, 'a watcher only looks on'),
    onGone: () => stop?.(),
  });
  const caughtUp = () => {
    if (!behind || near.backlog > 0 || !snapshot) return;
    behind = false;
    near.sendBytes(snapshot(), caughtUp);
  };
  const watcher: Watcher = {
    output: (chunk) => {
      if (behind) return;
      behind = near.backlog > TOO_FAR_BEHIND;
      if (!behind) near.sendBytes(chunk, caughtUp);
    },
    resize: (cols, rows) => near.send({ type: 'resize', cols, rows }),
    closed: (problem: Problem) => near.finish(problem),
  };
  try {
    ({ stop, snapshot } = hub.watch(sessionId, watcher));
  } catch (error) {
    near.finish(problemOf(error));
  }
}
