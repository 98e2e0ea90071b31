import type { ErrorCode } from '@sallyport/contract';
import type { WebSocket } from 'ws';
import { databaseClock } from '../platform/clock.ts';
import { networkOf } from '../platform/network-of.ts';
import { relay, watchOver } from '../platform/peers/relay.ts';
import type { RecordingDigest, Recordings } from '../platform/storage/recordings.ts';
import { Hub } from './hub.ts';
import { Allowance, MAX_SOCKETS_PER_ADDRESS, MAX_SOCKETS_PER_PERSON } from './limits.ts';
import type { BrowserTerminal } from './listeners/web/browser-terminal.ts';
import { serveDesktop } from './listeners/web/desktop-socket.ts';
import { serveGuest } from './listeners/web/guest-socket.ts';
import { KeptTerminals } from './listeners/web/kept-terminals.ts';
import { serveQuery } from './listeners/web/query-socket.ts';
import { ProtocolSocket } from './listeners/web/socket.ts';
import { serveTerminal } from './listeners/web/terminal-socket.ts';
import { serveWatch } from './listeners/web/watch-socket.ts';
import type { Person, Viewer, Visit } from './ports/people.ts';
import type { SessionEnd } from './ports/records.ts';
import type { GatewayLog, GatewayPorts } from './ports.ts';
import { completeRecording, type Recovered, recoverRecordings } from './recorder/recovery.ts';

/** Tracks database outages. Probes one at a time; the first failure is the start. */
class Outage {
  private readonly answers: () => Promise<boolean>;
  private looking: Promise<void> | undefined;
  private began: Date | undefined;

  /** `answers` must settle within a few seconds in any case. */
  constructor(answers: () => Promise<boolean>) {
    this.answers = answers;
  }

  /** Time of the first failed probe; undefined while the database answers. */
  get since(): Date | undefined {
    return this.began;
  }

  /** Probes the database. Calls during a probe share its result. */
  look(): Promise<void> {
    this.looking ??= this.probe().finally(() => {
      this.looking = undefined;
    });
    return this.looking;
  }

  private async probe(): Promise<void> {
    const at = databaseClock.date();
    if (await this.answers()) this.began = undefined;
    else this.began ??= at;
  }
}

/** Interval of pings to watchers: the loss of a second person stops input within three of them. */
const WATCHER_PING_SECONDS = 4;

/** Close code "internal error" of RFC 6455, section 7.4.1. */
const INTERNAL = 1011;

export interface Gateway {
  readonly hub: Hub;
  /** Closes sessions and recordings that a crash left open. Call it once, before any connection. */
  recover(): Promise<void>;
  /** Serves a terminal on an authenticated socket of the console's origin. */
  terminal(socket: WebSocket, person: Person): void;
  /** Serves a desktop on an authenticated socket of the console's origin. */
  desktop(socket: WebSocket, person: Person): void;
  /** Serves a query workspace on an authenticated socket of the console's origin. */
  query(socket: WebSocket, person: Person): void;
  /** Shows a session to a viewer. The caller has checked the right to watch. */
  watch(socket: WebSocket, sessionId: string, viewer: Viewer): void;
  /** Admits a guest with an accepted invitation into a session on any server. */
  guest(socket: WebSocket, sessionId: string, visit: Visit): void;
  /** Ends sessions when the recording disk runs full; call it periodically. */
  checkDisk(): Promise<void>;
  /** Completes recordings that were cut off, while the disk has room; call it periodically. */
  finishLeft(): Promise<void>;
  /** Probes the database and notifies the sessions; call it every few seconds. */
  checkDatabase(): Promise<void>;
  /** Closes open rows of this server without a live session, or only the row `only`. */
  closeDead(only?: string): Promise<void>;
  /** Ends sessions that other servers closed because they considered this server dead. */
  endInterrupted(): Promise<void>;
  /** Rejects new sessions and waits up to `minutes` for open ones. */
  leave(minutes: number): Promise<void>;
  /** Ends all sessions and completes their recordings. */
  drain(code?: ErrorCode): Promise<void>;
}

export function createGateway(options: {
  readonly ports: GatewayPorts;
  readonly recordings: Recordings;
  /** True if other processes may be recording into the same folder. */
  readonly sharesFolder?: boolean;
}): Gateway {
  const { ports, recordings, sharesFolder = false } = options;
  const hub = new Hub(ports);
  const outage = new Outage(ports.databaseAnswers ?? (async () => true));
  const kept = new KeptTerminals<BrowserTerminal>();
  const admit = socketLimit();
  /** Serves a socket here, or relays it to the server with its session. */
  const serveOrRelay = (
    socket: WebSocket,
    sessionId: string,
    connect: () => Promise<WebSocket | undefined> | undefined,
    serve: () => void,
  ): void => {
    if (hub.get(sessionId) || !ports.elsewhere) {
      serve();
      return;
    }
    Promise.resolve(connect()).then(
      (far) => (far ? relay(socket, far) : serve()),
      (error: unknown) => {
        ports.log.error({ err: error }, 'a session of another server could not be looked for');
        socket.close(INTERNAL);
      },
    );
  };
  return {
    hub,
    recover: () => recover(ports, recordings, sharesFolder),
    closeDead: (only) => closeDead(ports, recordings, { only }),
    terminal: (socket, person) => {
      if (admit(socket, person)) serveTerminal({ ports, hub, recordings, kept }, socket, person);
    },
    desktop: (socket, person) => {
      if (admit(socket, person)) serveDesktop({ ports, hub, recordings }, socket, person);
    },
    query: (socket, person) => {
      if (admit(socket, person)) serveQuery({ ports, hub, recordings }, socket, person);
    },
    watch: (socket, sessionId, viewer) => {
      if (!admit(socket, viewer)) return;
      watchOver(socket, WATCHER_PING_SECONDS);
      serveOrRelay(
        socket,
        sessionId,
        () => ports.elsewhere?.connect('watch', sessionId, viewer),
        () => serveWatch(hub, socket, sessionId, viewer),
      );
    },
    guest: (socket, sessionId, visit) => {
      if (!admit(socket, visit.person)) return;
      serveOrRelay(
        socket,
        sessionId,
        () => ports.elsewhere?.connect('guest', sessionId, visit),
        () => serveGuest({ ports, hub }, socket, sessionId, visit),
      );
    },
    endInterrupted: async () =>
      hub.interrupt(await ports.sessions.ended(hub.list().map(({ id }) => id))),
    checkDisk: async () => {
      if (hub.counts().sessions > 0)
        hub.diskHas(await ports.disk.freeBytes(), (await ports.limits.read()).diskReserveBytes);
    },
    finishLeft: () => finishLeft({ ports, hub, recordings }),
    checkDatabase: () => checkDatabase(hub, outage, ports.log),
    leave: (minutes) => hub.leave(minutes * 60_000),
    drain: (code) => hub.drain(code),
  };
}

/**
 * Limits sockets per person and address. Returns true if a socket may stay; otherwise the socket
 * gets the reason and is closed.
 */
function socketLimit() {
  const sockets = new Allowance();
  return (
    socket: WebSocket,
    { userId, remoteAddr, language }: Pick<Viewer, 'userId' | 'remoteAddr' | 'language'>,
  ): boolean => {
    const release = sockets.take({
      [`person ${userId}`]: MAX_SOCKETS_PER_PERSON,
      [`address ${networkOf(remoteAddr ?? '')}`]: MAX_SOCKETS_PER_ADDRESS,
    });
    if (release) socket.once('close', release);
    else
      new ProtocolSocket(socket, language, {
        onText: () => undefined,
        onBytes: () => undefined,
        onGone: () => undefined,
      }).finish({ code: 'socket_limit' });
    return release !== undefined;
  };
}

async function checkDatabase(hub: Hub, outage: Outage, log: GatewayLog): Promise<void> {
  if (hub.counts().sessions === 0 && !outage.since) return;
  const before = outage.since;
  await outage.look();
  if (outage.since) hub.outage(outage.since);
  else if (before) await hub.recheck();
  if (outage.since && !before)
    log.warn({}, 'the database does not answer; open sessions continue for a limited time');
  if (before && !outage.since)
    log.info(
      { seconds: Math.round((databaseClock.now() - before.getTime()) / 1000) },
      'the database answers again',
    );
}

async function recover(
  ports: GatewayPorts,
  recordings: Recordings,
  sharesFolder: boolean,
): Promise<void> {
  const recovered = new Map<string, Recovered>();
  const left = await recoverRecordings(recordings, ports.log, {
    choose: (ids) => ports.sessions.takenOver(ids),
    isShared: sharesFolder,
  });
  for (const recording of left) recovered.set(recording.sessionId, recording);
  await closeDead(ports, recordings, { recovered });
  // A session may have ended well while its recording failed, for example on a full disk.
  for (const { sessionId, ...recording } of recovered.values())
    await ports.sessions.finish(sessionId, interruptedBy(recording));
}

/**
 * Completes recordings that their sessions could not finish, for example on a full disk. The
 * finished file needs room next to the running one.
 */
async function finishLeft({
  ports,
  hub,
  recordings,
}: {
  readonly ports: GatewayPorts;
  readonly hub: Hub;
  readonly recordings: Recordings;
}): Promise<void> {
  if (recordings.isHanging()) return;
  for (const recording of await recordings.left()) {
    // The session still writes its end, which says that the recording failed.
    if (hub.get(recording.sessionId)) continue;
    if ((await recordings.freeBytes()) <= recording.size) continue;
    const { sessionId, ...completed } = await completeRecording(recording, ports.log);
    if (completed.state === 'failed') continue;
    await ports.sessions.finish(sessionId, interruptedBy(completed));
    ports.log.info({ session: sessionId }, 'a recording that was cut off is complete now');
  }
}

/**
 * Closes open rows without a live session, or only the row `only`, with the best known end. Removes
 * the recordings it used from `recovered`.
 */
async function closeDead(
  ports: GatewayPorts,
  recordings: Recordings,
  {
    recovered,
    only,
  }: { readonly recovered?: Map<string, Recovered>; readonly only?: string | undefined },
): Promise<void> {
  for (const row of await ports.sessions.unfinished(recovered !== undefined)) {
    const { id, dateStart } = row;
    if (only !== undefined && only !== id) continue;
    const recording = recovered?.get(id);
    recovered?.delete(id);
    // The server may have died after completing the recording and before closing the row.
    const session = { id, startedAt: dateStart };
    const digest = recording ? recording.digest : await recordings.digestOf(session);
    const endedAt =
      recording?.endedAt ??
      (digest && (await recordings.find(session))?.modifiedAt) ??
      row.lastActive;
    const state = recording?.state ?? (digest ? 'finished' : 'none');
    ports.log.warn({ session: id }, 'the row of a session without a live session was closed');
    await ports.sessions.finish(id, interruptedBy({ endedAt, state, digest }));
  }
}

/** The end of a session that a crash interrupted. */
const interruptedBy = ({
  endedAt,
  state,
  digest,
}: {
  readonly endedAt: Date;
  readonly state: SessionEnd['replayState'];
  readonly digest?: RecordingDigest | undefined;
}): SessionEnd => ({
  dateEnd: endedAt,
  reason: 'interrupted',
  success: state !== 'none',
  replayState: state,
  recording: digest,
});
