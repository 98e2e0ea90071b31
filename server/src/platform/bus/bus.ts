import pg from 'pg';
import { openClient } from '../db/open-client.ts';
import type { Logger } from '../log.ts';

/** Messages between servers that share a database, over PostgreSQL's LISTEN and NOTIFY. */
export interface Bus {
  /**
   * Calls `listener` for messages that any server publishes on the channel, including this one.
   * Calls `reconnected` when messages may have been lost.
   * Once the promise resolves, no message is lost: load initial state after that.
   */
  subscribe(
    channel: string,
    listener: (payload: string) => void,
    reconnected?: () => void,
  ): Promise<void>;
  publish(channel: string, payload: string): Promise<void>;
  close(): Promise<void>;
}

const RETRY_MILLISECONDS = 1_000;

/** Opens the bus on a dedicated connection and reconnects when it is lost. */
export async function openBus(url: string, pool: pg.Pool, log: Logger): Promise<Bus> {
  const channels = new Map<
    string,
    { listener: (payload: string) => void; reconnected: (() => void) | undefined }[]
  >();
  let client: pg.Client | undefined;
  let closing = false;

  // Serialized, because a connection answers one query at a time.
  let queue: Promise<unknown> = Promise.resolve();
  const listen = (channel: string): Promise<unknown> => {
    queue = queue
      .catch(() => undefined)
      .then(() => client?.query(`listen ${pg.escapeIdentifier(channel)}`));
    return queue;
  };

  const connect = async (): Promise<void> => {
    const fresh = await openClient(url, { application_name: 'sallyport bus' });
    fresh.on('notification', ({ channel, payload }) => {
      for (const { listener } of channels.get(channel) ?? []) listener(payload ?? '');
    });
    fresh.on('end', () => {
      if (!closing && client === fresh) void reconnect();
    });
    client = fresh;
    for (const channel of channels.keys()) await listen(channel);
  };

  const reconnect = async (): Promise<void> => {
    client = undefined;
    let hasFailed = false;
    while (!closing) {
      await new Promise((settle) => setTimeout(settle, RETRY_MILLISECONDS).unref());
      try {
        await connect();
        if (hasFailed) log.info('the bus reaches the database again');
        for (const listeners of channels.values())
          for (const { reconnected } of listeners) reconnected?.();
        return;
      } catch (error) {
        if (!hasFailed)
          log.warn(
            { error: error instanceof Error ? error.message : String(error) },
            'the bus cannot reach the database; it tries again',
          );
        hasFailed = true;
      }
    }
  };

  await connect();
  return {
    async subscribe(channel, listener, reconnected) {
      const listeners = channels.get(channel) ?? [];
      listeners.push({ listener, reconnected });
      channels.set(channel, listeners);
      // If the connection is lost here, the next one listens to all channels.
      await (listeners.length === 1 ? listen(channel) : queue).catch(() => undefined);
    },
    async publish(channel, payload) {
      await pool.query('select pg_notify($1, $2)', [channel, payload]);
    },
    async close() {
      closing = true;
      await client?.end().catch(() => undefined);
    },
  };
}
