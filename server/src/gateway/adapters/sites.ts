import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { ErrorCode } from '@sallyport/contract';
import { createWebSocketStream, type WebSocket } from 'ws';
import { connections, type SiteTunnelRow } from '../../features/connections/index.ts';
import type { servers } from '../../features/servers/index.ts';
import type { Module, ModuleContext, Timer } from '../../module.ts';
import { isDatabaseClosed } from '../../platform/db/connection.ts';
import type { SshSites } from '../listeners/ssh/ports.ts';
import { words } from '../listeners/ssh/words.ts';
import type { Tunnel } from '../ports.ts';
import { problemOf, Refusal } from '../refusal.ts';
import type { SignedInSite, SiteConnection } from '../sites/site-connection.ts';
import type { SiteAddress } from '../sites/socks.ts';
import { SiteTunnels } from '../sites/tunnels.ts';

type Servers = typeof servers extends Module<infer Service> ? Service : never;

/** Interval in which tunnels are written again, and those that are not allowed any more end. */
const KEEP_MILLISECONDS = 30_000;
/** Name of the sockets between processes that carry one stream of a site. */
const STREAM = 'site';
/** First message of such a socket, once the host is connected. */
const OPENED = 'opened';
/** Limit of another process for an answer: longer than its own limits for a site. */
const ANSWER_MS = 25_000;
/** Close code of a socket whose stream was refused; the reason is the code of the error. */
const REFUSED = 4_000;

interface Asked extends SiteAddress {
  readonly site: SignedInSite;
}

type OpenTunnel = Omit<SiteTunnelRow, 'channels' | 'roundTrip'>;

/** Tunnels of sites to this process, and through the other ones. */
export interface Sites {
  readonly ssh: SshSites;
  readonly timer: Timer;
  /** Returns the way into a site, wherever its tunnel ends. */
  to(site: SignedInSite): Tunnel;
}

export function createSites({ core: { log }, use }: ModuleContext, others: Servers): Sites {
  const tunnels = new SiteTunnels();
  const rows = new Map<SiteConnection, OpenTunnel>();
  const { find, holdersOf, keep } = use(connections).sites.call();
  const writeNow = async () => {
    const open = [...rows].map(([tunnel, row]) => ({
      ...row,
      channels: tunnel.channels,
      roundTrip: tunnel.roundTrip,
    }));
    const ended = new Set(await keep(others.id, open));
    for (const [tunnel, { id }] of rows) if (ended.has(id)) tunnel.close(words.signedOut);
  };
  let last: Promise<unknown> = Promise.resolve();
  // Writes take turns: an earlier list must not remove the rows of a later one.
  const write = async () => {
    const turn = last.then(writeNow);
    last = turn.catch(() => undefined);
    await turn;
  };
  const writeSoon = () =>
    void write().catch((error: unknown) => {
      if (!isDatabaseClosed(error))
        log.warn({ err: error }, 'the tunnels of sites were not written');
    });
  others.channel.accept(STREAM, (about, socket) => void answer(about as Asked, socket));

  /** Opens a stream for another process. */
  async function answer({ site, host, port }: Asked, socket: WebSocket): Promise<void> {
    const leaving = new AbortController();
    socket.once('close', () => leaving.abort());
    try {
      const stream = await tunnels.open(site, { host, port }, leaving.signal);
      if (!stream) throw away(site);
      socket.send(OPENED);
      join(stream, createWebSocketStream(socket));
    } catch (error) {
      socket.close(REFUSED, problemOf(error).code);
    }
  }

  async function openElsewhere(asked: Asked, signal: AbortSignal): Promise<Duplex | undefined> {
    for (const holder of await holdersOf(asked.site.id)) {
      signal.throwIfAborted();
      const address = await others.find(holder);
      if (!address) continue;
      const socket = others.channel.connect(address, STREAM, asked);
      const stream = await opened(socket, asked, signal);
      if (stream) return stream;
    }
    return undefined;
  }

  return {
    ssh: {
      find,
      take(tunnel, { remoteAddress, software }) {
        if (!tunnels.add(tunnel)) return undefined;
        const { id: siteId, name } = tunnel.site;
        const about = { site: name, remoteAddress, software };
        rows.set(tunnel, {
          id: randomUUID(),
          siteId,
          holder: others.id,
          remoteAddr: remoteAddress,
          software,
        });
        log.info(about, 'a site has connected');
        writeSoon();
        return () => {
          tunnels.remove(tunnel);
          rows.delete(tunnel);
          log.info(about, 'a site has disconnected');
          writeSoon();
        };
      },
    },
    timer: {
      everyMilliseconds: KEEP_MILLISECONDS,
      run() {
        // A tunnel that answers late is written with it the next time.
        for (const tunnel of rows.keys()) void tunnel.measure();
        return write();
      },
    },
    to: (site) => ({
      async find() {
        if (tunnels.of(site.id).length > 0) return;
        if ((await holdersOf(site.id)).length === 0) throw away(site);
      },
      async open(address, signal) {
        const stream =
          (await tunnels.open(site, address, signal)) ??
          (await openElsewhere({ site, host: address.host, port: address.port }, signal));
        if (!stream) throw away(site);
        return stream;
      },
    }),
  };
}

const away = ({ name }: SignedInSite) => new Refusal('connect_site_away', { site: name });

/** Waits for the first message of a socket. Undefined if its process has no tunnel any more. */
function opened(
  socket: WebSocket,
  { site, host, port }: Asked,
  signal: AbortSignal,
): Promise<Duplex | undefined> {
  return new Promise((done, failed) => {
    const abort = () => {
      socket.terminate();
      failed(signal.reason);
    };
    const limit = setTimeout(() => socket.terminate(), ANSWER_MS);
    const stopWaiting = () => {
      clearTimeout(limit);
      signal.removeEventListener('abort', abort);
    };
    signal.addEventListener('abort', abort, { once: true });
    socket.on('error', () => undefined);
    socket.once('message', () => {
      stopWaiting();
      done(createWebSocketStream(socket));
    });
    socket.once('close', (code: number, reason: Buffer) => {
      stopWaiting();
      const refused = CODES.find((known) => known === String(reason));
      if (code === REFUSED && refused)
        failed(new Refusal(refused, { site: site.name, host: `${host}:${port}` }));
      else done(undefined);
    });
  });
}

/** Refusals of another process that are final. */
const CODES: readonly ErrorCode[] = [
  'connect_site_refused',
  'connect_site_full',
  'connect_timeout',
];

/** Passes the bytes of two streams in both directions, until either ends. */
function join(one: Duplex, other: Duplex): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on('error', () => to.destroy());
    from.once('close', () => to.destroy());
    from.pipe(to);
  }
}
