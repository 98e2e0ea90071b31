import { type Config, StartError } from '../../config.ts';
import { defineModule } from '../../module.ts';
import { createPeerChannel } from '../../platform/peers/channel.ts';
import { localAddressTowards } from '../../platform/peers/local-address.ts';
import { holderOf } from './holder.ts';
import {
  addressOf,
  beginToStop,
  DEAD_AFTER_SECONDS,
  forgetLost,
  giveSign,
  signOff,
} from './store.ts';

/** The use of the key that servers know each other by. */
export const PEERS = 'sallyport peers';
const SIGN_EVERY_MILLISECONDS = 10_000;
const FORGET_EVERY_MILLISECONDS = 3_600_000;
const isLoopback = (host: string) => /^(127\.|::1$|\[::1\]$|localhost$)/.test(host) || host === '';
const ANY = new Set(['0.0.0.0', '::']);

/**
 * The servers that share one database: who they are, whether they live, and connections between
 * them. A server with an embedded database is alone.
 */
export const servers = defineModule({
  name: 'servers',
  tables: ['server'],
  create({ core: { db, vault, config, log } }) {
    const id = holderOf(config);
    const channel = createPeerChannel(vault.keyFor(PEERS));
    const isAlone = config.databaseUrl === undefined;
    const lapses: (() => Promise<void>)[] = [];
    let self: { host: string; port: number } | undefined;
    const sign = async () => {
      if (!self) return;
      const silent = await giveSign(db, id, self);
      if (silent <= DEAD_AFTER_SECONDS) return;
      log.warn(
        { silentSeconds: Math.round(silent) },
        'this server could not reach the database for so long that others took it for dead',
      );
      for (const lapse of lapses) await lapse();
    };
    return {
      service: {
        /** The name of this server in rows that only it may finish. */
        id,
        /** Whether no other server can share the database. */
        isAlone,
        channel,
        /** Returns true for another server of this installation. */
        isElsewhere: (server: string | null) => !isAlone && server !== null && server !== id,
        /**
         * Where another server listens; nothing for this one, and for one that gave no sign lately.
         */
        find: async (server: string | null) =>
          isAlone || server === null || server === id ? undefined : addressOf(db, server),
        /** Called after other servers may have finished what belongs to this one. */
        onLapse: (lapse: () => Promise<void>) => void lapses.push(lapse),
      },
      timers: isAlone
        ? []
        : [
            { everyMilliseconds: SIGN_EVERY_MILLISECONDS, run: sign },
            { everyMilliseconds: FORGET_EVERY_MILLISECONDS, run: () => forgetLost(db) },
          ],
      async start() {
        if (config.databaseUrl === undefined) return;
        // Others reach this server at the address by which it reaches the database, unless it
        // listens on one only.
        const host = ANY.has(config.httpHost)
          ? await localAddressTowards(config.databaseUrl)
          : config.httpHost;
        const port = await channel
          .listen(config.httpHost, config.peerPort)
          .catch((error: unknown) => {
            throw cannotListen(error, config);
          });
        self = { host, port };
        await giveSign(db, id, self);
        log.info({ host, port }, 'other servers reach this one');
        if (isLoopback(host) && !isLoopback(new URL(config.databaseUrl).hostname))
          log.warn(
            { host, port },
            'servers on other machines cannot reach this one for replays and live sessions: set SALLYPORT_HTTP_HOST to an address that they reach',
          );
      },
      leave: () => (isAlone ? undefined : beginToStop(db, id)),
      async stop() {
        await channel.close();
        if (self) await signOff(db, id);
        self = undefined;
      },
    };
  },
});

/** What the operator has to change so that this server can be reached by the others. */
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
