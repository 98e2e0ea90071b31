import type { Problem } from '@sallyport/contract';
import type { WebSocket } from 'ws';
import type { Hub } from '../../hub.ts';
import { DESKTOP_VIEW_BACKLOG, DESKTOP_VIEW_MAX } from '../../limits.ts';
import type { Viewer } from '../../ports/people.ts';
import { problemOf } from '../../refusal.ts';
import type { Watcher } from '../../sessions/session-client.ts';
import { parseClientMessage } from './messages.ts';
import { CLOSE, ProtocolSocket } from './socket.ts';

/** Backlog above which a watcher skips output and gets the current screen after catching up. */
const MAX_BACKLOG = 512 * 1024;
/** Backlog up to which a watcher has caught up: messages of the protocol may wait behind output. */
const CAUGHT_UP = 64 * 1024;

/**
 * Creates a watcher of a terminal for a socket. `snapshot` returns the current screen, for a slow
 * socket or one that `redraws` after each resize.
 */
export function watcherOf(
  client: () => ProtocolSocket,
  snapshot: () => Buffer | undefined,
  redraws = false,
): Watcher {
  let behind = false;
  const output = (chunk: Buffer) => {
    if (behind) return;
    behind = client().backlog > MAX_BACKLOG;
    if (!behind) client().sendBytes(chunk, caughtUp);
  };
  const caughtUp = () => {
    if (!behind || client().backlog > CAUGHT_UP) return;
    const screen = snapshot();
    if (!screen) return;
    behind = false;
    client().sendBytes(screen, caughtUp);
  };
  return {
    output,
    resize: (cols, rows) => {
      client().send({ type: 'resize', cols, rows });
      const screen = redraws ? snapshot() : undefined;
      if (screen) output(screen);
    },
    closed: (problem: Problem) => client().finish(problem),
  };
}

/**
 * Creates a watcher of a desktop. A slow socket skips whole messages and then gets the whole
 * picture. One that cannot take a single message is disconnected.
 */
function desktopWatcherOf(client: () => ProtocolSocket, refresh: () => void): Watcher {
  let behind = false;
  const caughtUp = () => {
    if (!behind || client().backlog > CAUGHT_UP) return;
    behind = false;
    refresh();
  };
  return {
    output: (chunk, isStart = false) => {
      if (isStart && !behind) behind = client().backlog > DESKTOP_VIEW_BACKLOG;
      if (behind) return;
      if (client().backlog > DESKTOP_VIEW_MAX) client().close(CLOSE.policy, 'too slow to watch');
      else client().sendBytes(chunk, caughtUp);
    },
    resize: () => undefined,
    desktop: (facts) => client().send({ type: 'desktop', ...facts }),
    pointer: (x, y) => {
      if (!behind) client().send({ type: 'pointer', x, y });
    },
    closed: (problem) => client().finish(problem),
  };
}

/** Shows a live session to a viewer. The caller has checked the right to watch. */
export function serveWatch(hub: Hub, socket: WebSocket, sessionId: string, viewer: Viewer): void {
  let stop: (() => void) | undefined;
  let snapshot: (() => Buffer) | undefined;
  const client = new ProtocolSocket(socket, viewer.language, {
    onText: (text) => {
      // Terminals of watchers acknowledge output too; ignore it.
      if (parseClientMessage(text)?.type !== 'ack')
        client.close(CLOSE.policy, 'a watcher cannot type');
    },
    onBytes: () => client.close(CLOSE.policy, 'a watcher cannot type'),
    onGone: () => stop?.(),
  });
  const watcher =
    hub.get(sessionId)?.kind === 'desktop'
      ? desktopWatcherOf(
          () => client,
          () => void snapshot?.(),
        )
      : watcherOf(
          () => client,
          () => snapshot?.(),
          viewer.redraws,
        );
  try {
    ({ stop, snapshot } = hub.watch(sessionId, watcher, viewer));
  } catch (error) {
    client.finish(problemOf(error));
  }
}
