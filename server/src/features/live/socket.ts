import type { LiveEnd, LiveMessage } from '@sallyport/contract';
import type { WebSocket } from 'ws';
import type { Context } from '../../http/context.ts';
import type { Bus } from '../../platform/bus/bus.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/log.ts';
import type { Engines } from '../../resources/engines.ts';
import { CHANGES_CHANNEL, type ChangeNews } from '../audits/index.ts';
import type { CurrentSignIns } from '../identity/index.ts';
import { Pending, Recent, visibilityOf, visibleAmong } from './news.ts';

/** Delay that gathers changes, and minimum interval between messages. */
const GATHER_MILLISECONDS = 250;
const APART_MILLISECONDS = 1_000;
/**
 * Interval between pings. Every tenth one also checks the rights, which are otherwise checked
 * before messages only.
 */
const ALIVE_MILLISECONDS = 30_000;
const PINGS_PER_CHECK = 10;
/** Maximum age of the last rights check when a message is sent. */
const RECHECK_MILLISECONDS = 2_000;
/** Maximum unread bytes of a browser. Beyond it, sending pauses. */
const MAXIMUM_BACKLOG = 64 * 1024;
/** Maximum sockets of a user. Each tab has one. */
const MAXIMUM_SOCKETS = 30;
/** Maximum ids of a resource per query. */
const MAXIMUM_DOUBTFUL = 1_000;
const CLOSE = { policy: 1008, failed: 1011 } as const;

interface LiveSocketOptions {
  readonly db: Db;
  readonly engines: Engines;
  readonly current: CurrentSignIns;
  readonly bus: Bus;
  readonly log: Logger;
}

interface Listener {
  readonly sessionId: string;
  hear(news: ChangeNews): void;
  hearEverything(): void;
  end(code: LiveEnd): void;
}

/**
 * Notifies consoles of changed resources that their users may read in the organization on screen.
 */
export function createLiveSockets({
  db,
  engines,
  current,
  bus,
  log,
}: LiveSocketOptions): (socket: WebSocket, context: Context) => void {
  const listeners = new Set<Listener>();
  const open = new Map<string, number>();

  const recent = new Recent();

  bus.subscribe(
    CHANGES_CHANNEL,
    (payload) => {
      const news = JSON.parse(payload) as ChangeNews;
      recent.add(news);
      for (const listener of listeners) listener.hear(news);
    },
    () => {
      recent.forget();
      for (const listener of listeners) listener.hearEverything();
    },
  );
  bus.subscribe('signed_out', (sessionId) => {
    for (const listener of [...listeners])
      if (listener.sessionId === sessionId) listener.end('not_authenticated');
  });

  return (socket, context) => {
    const { userId } = context.actor;
    socket.on('message', () => socket.close(CLOSE.policy, 'nothing is expected'));
    const count = (open.get(userId) ?? 0) + 1;
    const listener = new LiveSocket(socket, context, { db, engines, current, log });
    if (count > MAXIMUM_SOCKETS) return listener.end('too_many_requests');
    open.set(userId, count);
    listeners.add(listener);
    // Changes since the page was loaded.
    const missed = recent.since(Number(context.query.get('age')) || 0);
    if (!missed) listener.hearEverything();
    for (const news of missed ?? []) listener.hear(news);
    listener.keepAlive();
    socket.on('close', () => {
      listeners.delete(listener);
      const left = (open.get(userId) ?? 1) - 1;
      if (left > 0) open.set(userId, left);
      else open.delete(userId);
    });
  };
}

/** The socket of one console. */
class LiveSocket implements Listener {
  readonly sessionId: string;
  private readonly socket: WebSocket;
  private readonly context: Context;
  private readonly options: Omit<LiveSocketOptions, 'bus'>;
  private readonly pending = new Pending();
  /** Ids whose visibility requires a query, by resource. */
  private readonly doubtful = new Map<string, Set<string>>();
  private timer: NodeJS.Timeout | undefined;
  private sentAt = 0;
  private checkedAt = performance.now();
  private isAnswering = true;
  private pings = 0;

  constructor(socket: WebSocket, context: Context, options: Omit<LiveSocketOptions, 'bus'>) {
    this.socket = socket;
    this.context = context;
    this.options = options;
    this.sessionId = context.actor.session.id;
  }

  end(code: LiveEnd): void {
    const { socket } = this;
    if (socket.readyState !== socket.OPEN) return;
    this.send({ type: 'closed', code });
    socket.close(CLOSE.policy, code);
  }

  hear(news: ChangeNews): void {
    const { doubtful, pending } = this;
    const visibility = visibilityOf(this.options.engines.get(news.resource), news, this.context);
    if (visibility === 'nothing') return;
    if (visibility === 'all') pending.add(news.resource, news.ids);
    // Deleted or too many objects are reported only within the organization of the change.
    else if (visibility === 'that it changed') pending.add(news.resource, null);
    else if (news.ids) {
      const before = doubtful.get(news.resource) ?? new Set();
      doubtful.set(news.resource, new Set([...before, ...news.ids].slice(-MAXIMUM_DOUBTFUL)));
    } else return;
    this.scheduleSend();
  }

  hearEverything(): void {
    this.pending.addEverything();
    this.scheduleSend();
  }

  /** Pings the console until the socket closes, and terminates a socket without an answer. */
  keepAlive(): void {
    const { socket } = this;
    socket.on('pong', () => {
      this.isAnswering = true;
    });
    const alive = setInterval(() => this.ping(), ALIVE_MILLISECONDS);
    alive.unref();
    socket.on('close', () => {
      clearInterval(alive);
      clearTimeout(this.timer);
    });
  }

  private ping(): void {
    if (!this.isAnswering) {
      this.socket.terminate();
      return;
    }
    this.isAnswering = false;
    this.socket.ping();
    this.pings += 1;
    if (this.pings % PINGS_PER_CHECK === 0) void this.mayListen().catch(() => undefined);
  }

  private send(message: LiveMessage): void {
    this.socket.send(JSON.stringify(message));
  }

  /** Reads the sign-in without using it: listening does not extend it. */
  private async mayListen(): Promise<boolean> {
    const { actor } = this.context;
    this.checkedAt = performance.now();
    const permissions = await this.options.current.permissions(
      { loginId: actor.session.id, remoteAddr: actor.remoteAddress },
      actor.organization.id,
    );
    if (permissions === actor.permissions) return true;
    this.end(permissions === 0 ? 'not_authenticated' : 'rights_changed');
    return false;
  }

  private async sendPending(): Promise<void> {
    const { socket, doubtful, pending, context } = this;
    const { engines, db } = this.options;
    this.timer = undefined;
    if (socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount > MAXIMUM_BACKLOG) return this.scheduleSend();
    const isOld = performance.now() - this.checkedAt > RECHECK_MILLISECONDS;
    if (isOld && !(await this.mayListen())) return;
    for (const [name, ids] of doubtful) {
      doubtful.delete(name);
      const engine = engines.get(name);
      const visible = engine ? await visibleAmong(engine, [...ids], context, db) : [];
      if (visible.length > 0) pending.add(name, visible);
    }
    if (pending.isEmpty || socket.readyState !== socket.OPEN) return;
    this.sentAt = performance.now();
    this.send({ type: 'changed', resources: pending.take() });
  }

  private scheduleSend(): void {
    this.timer ??= setTimeout(
      () =>
        void this.sendPending().catch((error: unknown) => {
          this.options.log.warn({ error: String(error) }, 'changes could not be passed on');
          this.socket.close(CLOSE.failed);
        }),
      Math.max(GATHER_MILLISECONDS, this.sentAt + APART_MILLISECONDS - performance.now()),
    );
  }
}
