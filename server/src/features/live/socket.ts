import type { LiveEnd, LiveMessage } from '@sallyport/contract';
import type { WebSocket } from 'ws';
import type { Context } from '../../http/context.ts';
import type { Bus } from '../../platform/bus/bus.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/log.ts';
import type { Engines } from '../../resources/engines.ts';
import { CHANGES_CHANNEL, type ChangeNews } from '../audits/index.ts';
import type { CurrentSignIns } from '../identity/index.ts';
import { visibilityOf, visibleAmong } from './audience.ts';
import { Pending } from './pending.ts';
import { Recent } from './recent.ts';

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
    const { actor } = context;
    const pending = new Pending();
    /** Ids whose visibility requires a query, by resource. */
    const doubtful = new Map<string, Set<string>>();
    let timer: NodeJS.Timeout | undefined;
    let sentAt = 0;
    let checkedAt = performance.now();
    let isAnswering = true;
    let pings = 0;

    const send = (message: LiveMessage) => socket.send(JSON.stringify(message));
    const end = (code: LiveEnd) => {
      if (socket.readyState !== socket.OPEN) return;
      send({ type: 'closed', code });
      socket.close(CLOSE.policy, code);
    };
    socket.on('message', () => socket.close(CLOSE.policy, 'nothing is expected'));
    const count = (open.get(actor.userId) ?? 0) + 1;
    if (count > MAXIMUM_SOCKETS) return end('too_many_requests');
    open.set(actor.userId, count);

    /** Reads the sign-in without using it: listening does not extend it. */
    async function mayListen(): Promise<boolean> {
      checkedAt = performance.now();
      const permissions = await current.permissions(actor.session.id, actor.organization.id);
      if (permissions === actor.permissions) return true;
      end(permissions === 0 ? 'not_authenticated' : 'rights_changed');
      return false;
    }

    async function sendPending(): Promise<void> {
      timer = undefined;
      if (socket.readyState !== socket.OPEN) return;
      if (socket.bufferedAmount > MAXIMUM_BACKLOG) return scheduleSend();
      if (performance.now() - checkedAt > RECHECK_MILLISECONDS && !(await mayListen())) return;
      for (const [name, ids] of doubtful) {
        doubtful.delete(name);
        const engine = engines.get(name);
        const visible = engine ? await visibleAmong(engine, [...ids], context, db) : [];
        if (visible.length > 0) pending.add(name, visible);
      }
      if (pending.isEmpty || socket.readyState !== socket.OPEN) return;
      sentAt = performance.now();
      send({ type: 'changed', resources: pending.take() });
    }
    function scheduleSend(): void {
      timer ??= setTimeout(
        () =>
          void sendPending().catch((error: unknown) => {
            log.warn({ error: String(error) }, 'changes could not be passed on');
            socket.close(CLOSE.failed);
          }),
        Math.max(GATHER_MILLISECONDS, sentAt + APART_MILLISECONDS - performance.now()),
      );
    }

    const listener: Listener = {
      sessionId: actor.session.id,
      end,
      hear(news) {
        const visibility = visibilityOf(engines.get(news.resource), news, context);
        if (visibility === 'nothing') return;
        if (visibility === 'all') pending.add(news.resource, news.ids);
        // Deleted or too many objects are reported only within the organization of the change.
        else if (visibility === 'that it changed') pending.add(news.resource, null);
        else if (news.ids) {
          const before = doubtful.get(news.resource) ?? new Set();
          doubtful.set(news.resource, new Set([...before, ...news.ids].slice(-MAXIMUM_DOUBTFUL)));
        } else return;
        scheduleSend();
      },
      hearEverything() {
        pending.addEverything();
        scheduleSend();
      },
    };
    listeners.add(listener);
    // Changes since the page was loaded.
    const missed = recent.since(Number(context.query.get('age')) || 0);
    if (!missed) listener.hearEverything();
    for (const news of missed ?? []) listener.hear(news);
    socket.on('pong', () => {
      isAnswering = true;
    });
    const alive = setInterval(() => {
      if (!isAnswering) return socket.terminate();
      isAnswering = false;
      socket.ping();
      pings += 1;
      if (pings % PINGS_PER_CHECK === 0) void mayListen().catch(() => undefined);
    }, ALIVE_MILLISECONDS);
    alive.unref();
    socket.on('close', () => {
      listeners.delete(listener);
      clearInterval(alive);
      clearTimeout(timer);
      const left = (open.get(actor.userId) ?? 1) - 1;
      if (left > 0) open.set(actor.userId, left);
      else open.delete(actor.userId);
    });
  };
}
