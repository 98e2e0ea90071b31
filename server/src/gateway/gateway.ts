import { access } from 'node:fs/promises';
import type { Language } from '@sallyport/contract';
import type { WebSocket } from 'ws';
import { Hub } from './hub.ts';
import type { GatewayPorts, Person } from './ports.ts';
import { recordingPaths } from './recorder/paths.ts';
import { type Recovered, recoverRecordings } from './recorder/recovery.ts';
import { serveTerminal } from './terminal-socket.ts';
import { serveWatch } from './watch-socket.ts';

/** The gateway of this process. */
export interface Gateway {
  readonly hub: Hub;
  /** Closes what a crash left open; once, before anybody connects. */
  recover(): Promise<void>;
  /** Serves a terminal on an authenticated socket of our own origin. */
  terminal(socket: WebSocket, person: Person): void;
  /** Shows a session to somebody whose right to watch it was checked. */
  watch(socket: WebSocket, sessionId: string, language: Language): void;
  /** Ends every session and finishes its recording. */
  drain(): Promise<void>;
}

/** Makes the gateway out of what the rest of the product brings. */
export function createGateway(options: { readonly ports: GatewayPorts; readonly recordingsDirectory: string }): Gateway {
  const { ports, recordingsDirectory } = options;
  const hub = new Hub();
  return {
    hub,
    recover: () => recover(ports, recordingsDirectory),
    terminal: (socket, person) => serveTerminal({ ports, hub, recordingsDirectory }, socket, person),
    watch: (socket, sessionId, language) => serveWatch(hub, socket, sessionId, language),
    drain: () => hub.drain(),
  };
}

async function recover(ports: GatewayPorts, directory: string): Promise<void> {
  const recordings = new Map<string, Recovered>();
  for (const recording of await recoverRecordings(directory)) recordings.set(recording.sessionId, recording);
  for (const { id, dateStart } of await ports.sessions.unfinished()) {
    const recording = recordings.get(id);
    recordings.delete(id);
    const replayState = recording?.state ?? ((await exists(recordingPaths(directory, id, dateStart).finished)) ? 'finished' : 'none');
    await ports.sessions.finish(id, { dateEnd: recording?.endedAt ?? new Date(), reason: 'interrupted', success: replayState !== 'none', replayState });
  }
  // A session may have ended well while its recording did not, for instance on a full disk.
  for (const { sessionId, state } of recordings.values()) await ports.sessions.setReplay(sessionId, state);
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
