import { type Config, StartError } from '../../config.ts';
import { defineModule } from '../../module.ts';
import { createPeerChannel } from '../../platform/peers/channel.ts';
import { localAddressTowards } from '../../platform/peers/relay.ts';
import {
  addressOf,
  DEAD_AFTER_SECONDS,
  holderOf,
  markStopping,
  removeLost,
  removeServer,
  sendHeartbeat,
} from './store.ts';

export { addressOf, DEAD_AFTER_SECONDS, holderOf } from './store.ts';

/** Purpose of the key that authenticates servers to each other. */
export const PEERS = 'sallyport peers';
const SIGN_EVERY_MILLISECONDS = 10_000;
const FORGET_EVERY_MILLISECONDS = 3_600_000;
const isLoopback = (host: string) => /^(127\.|::1$|\[::1\]$|localhost$)/.test(host) || host === '';
const ANY = new Set(['0.0.0.0', '::']);

/**
 * The servers that share one database: identity, liveness, and connections between them. A server
 * with an embedded database is alone.
 */
export const servers = defineModule({
  name: 'servers',
  tables: ['server'],
  create({ core: { db, vault, config, log } }) {
    const id = holderOf(config);
    const channel = createPeerChannel(vault.keysFor(PEERS));
    const isAlone = config.databaseUrl === undefined;
    const lapses: (() => Promise<void>)[] = [];
    let self: { host: string; port: number } | undefined;
    const heartbeat = async () => {
      if (!self) return;
      const silent = await sendHeartbeat(db, id, self);
      if (silent <= DEAD_AFTER_SECONDS) return;
      log.warn(
        { silentSeconds: Math.round(silent) },
        'this server was without the database for too long, so the others treated it as dead',
      );
      for (const lapse of lapses) await lapse();
    };
    return {
      service: {
        /** The id of this server in rows that only it may finish. */
        id,
        /** Returns true if no other server can share the database. */
        isAlone,
        channel,
        /** Returns true for another server of this installation. */
        isElsewhere: (server: string | null) => !isAlone && server !== null && server !== id,
        /** The address of another server with a recent heartbeat. Undefined otherwise. */
        find: async (server: string | null) =>
          isAlone || server === null || server === id ? undefined : addressOf(db, server),
        /** Registers a function to call after other servers may have finished rows of this one. */
        onLapse: (lapse: () => Promise<void>) => void lapses.push(lapse),
      },
      timers: isAlone
        ? []
        : [
            { everyMilliseconds: SIGN_EVERY_MILLISECONDS, run: heartbeat },
            { everyMilliseconds: FORGET_EVERY_MILLISECONDS, run: () => removeLost(db) },
          ],
      async start() {
        if (config.databaseUrl === undefined) return;
        // Other servers use the local address of the database connection, unless this server
        // listens on a single address.
        const host = ANY.has(config.httpHost)
          ? await localAddressTowards(config.databaseUrl)
          : config.httpHost;
        const port = await channel
          .listen(config.httpHost, config.peerPort)
          .catch((error: unknown) => {
            throw cannotListen(error, config);
          });
        self = { host, port };
        await sendHeartbeat(db, id, self);
        log.info({ host, port }, 'other servers reach this one');
        if (isLoopback(host) && !isLoopback(new URL(config.databaseUrl).hostname))
          log.warn(
            { host, port },
            'servers on other machines cannot reach this one for replays and live sessions: set SALLYPORT_HTTP_HOST to an address that they reach',
          );
      },
      leave: () => (isAlone ? undefined : markStopping(db, id)),
      async stop() {
        await channel.close();
        if (self) await removeServer(db, id);
        self = undefined;
      },
    };
  },
});

/** Explains to the operator how to make this server reachable for the others. */
function cannotListen(error: unknown, { peerPort, httpHost }: Config): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return new StartError(
      `SALLYPORT_PEER_PORT: port ${peerPort} is in use. Choose another, or 0 for any free port: SALLYPORT_PEER_PORT='0'`,
    );
  if (code === 'EACCES')
    return new StartError(
      `SALLYPORT_PEER_PORT: this account may not listen on port ${peerPort}. Choose one above 1023: SALLYPORT_PEER_PORT='2223'`,
    );
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new StartError(
      `SALLYPORT_HTTP_HOST: this machine does not have the address ${httpHost}. Example: SALLYPORT_HTTP_HOST='127.0.0.1'`,
    );
  return error;
}
