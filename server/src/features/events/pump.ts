import { randomUUID } from 'node:crypto';
import type { Db } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/log.ts';
import { defineCounter } from '../../platform/metrics/open-metrics.ts';
import { type KeptEvent, toSend } from './message.ts';
import type { Send } from './send.ts';
import {
  advance,
  giveAllBack,
  giveBack,
  type Lease,
  nextEvents,
  nextTry,
  postpone,
  takeReceiver,
} from './store.ts';

const sent = defineCounter(
  'sallyport_events_sent_total',
  'Events that receivers took from this server.',
);
const failures = defineCounter(
  'sallyport_event_delivery_errors_total',
  'Deliveries of this server that a receiver did not take.',
);

/** Delay to gather events into one batch. */
const GATHER_MILLISECONDS = 100;
/** Receivers served in parallel. */
const MOST_AT_ONCE = 4;
/** Maximum delay of a timer. */
const LONGEST_PAUSE = 60_000;

/** Sends pending events to receivers. Each receiver gets its events in order. */
export interface Pump {
  /** Announces that events may be pending. */
  wake(): void;
  /** Stops sending, and waits for the current deliveries. */
  stop(): Promise<void>;
}

interface PumpOptions {
  readonly db: Db;
  /** The id of this server in its leases. */
  readonly holder: string;
  readonly send: Send;
  readonly log: Logger;
  /** Aborted when the program begins to stop. */
  readonly stopping: AbortSignal;
}

/**
 * Starts sending. Servers with the same database share the receivers: a lease assigns each receiver
 * to one server at a time.
 */
export async function startPump({ db, holder, send, log, stopping }: PumpOptions): Promise<Pump> {
  let isClosed = false;
  const isStopped = () => isClosed || stopping.aborted;
  let timer: NodeJS.Timeout | undefined;
  let due = Number.POSITIVE_INFINITY;
  const running = new Set<Promise<void>>();

  const wakeIn = (milliseconds: number) => {
    const at = Date.now() + milliseconds;
    if (isStopped() || at >= due) return;
    clearTimeout(timer);
    due = at;
    timer = setTimeout(() => {
      due = Number.POSITIVE_INFINITY;
      void look();
    }, milliseconds).unref();
  };
  const look = async () => {
    try {
      while (!isStopped() && running.size < MOST_AT_ONCE) {
        const lease = await takeReceiver(db, holder);
        if (!lease) break;
        const work: Promise<void> = drain(lease).finally(() => {
          running.delete(work);
          wakeIn(0);
        });
        running.add(work);
      }
      const next = await nextTry(db);
      if (next)
        wakeIn(Math.min(LONGEST_PAUSE, Math.max(GATHER_MILLISECONDS, next.getTime() - Date.now())));
    } catch (error) {
      if (!isStopped()) log.error({ error: String(error) }, 'could not query pending events');
      wakeIn(LONGEST_PAUSE);
    }
  };
  /** Sends batch after batch until no event is pending. */
  const drain = async (taken: Lease): Promise<void> => {
    let lease = taken;
    try {
      while (!isStopped()) {
        const { wanted, upTo } = await nextEvents(db, lease);
        if (upTo === lease.cursor && lease.untold === 0) break;
        const events = [...(lease.untold > 0 ? [gapOf(lease.untold)] : []), ...wanted].map(toSend);
        if (events.length > 0) await send(lease.receiver, events);
        if (!(await advance(db, lease, upTo, events.length > 0))) return;
        if (events.length > 0) sent.add({ type: lease.receiver.type }, events.length);
        if (lease.attempts > 0)
          log.info({ receiver: lease.receiver.id }, 'a receiver takes events again');
        lease = { ...lease, cursor: upTo, attempts: 0, untold: 0 };
      }
      await giveBack(db, lease);
    } catch (error) {
      if (isStopped()) return void (await giveBack(db, lease).catch(() => undefined));
      const problem = error instanceof Error ? error.message || error.name : String(error);
      failures.add({ type: lease.receiver.type });
      if (lease.attempts === 0)
        log.warn(
          { receiver: lease.receiver.id, problem },
          'a receiver does not take events; they wait, and it is tried again',
        );
      await postpone(db, lease, problem).catch((failure: unknown) =>
        log.error({ error: String(failure) }, 'a receiver could not be postponed'),
      );
    }
  };
  await giveAllBack(db, holder);
  wakeIn(0);
  return {
    wake: () => wakeIn(GATHER_MILLISECONDS),
    async stop() {
      isClosed = true;
      clearTimeout(timer);
      await Promise.allSettled(running);
    },
  };
}

/** Creates the event that reports dropped events. */
function gapOf(dropped: number): KeptEvent {
  return {
    id: 0,
    event_id: randomUUID(),
    kind: 'gap',
    org_id: null,
    org_name: null,
    date: new Date(),
    data: { dropped },
  };
}
