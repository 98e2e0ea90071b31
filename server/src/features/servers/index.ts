import { randomUUID } from 'node:crypto';
import { type Config, StartError } from '../../config.ts';
import { defineModule } from '../../module.ts';
import { databaseClock } from '../../platform/clock.ts';
import { databaseAddress } from '../../platform/db/hosts.ts';
import { createPeerChannel, type PeerAddress } from '../../platform/peers/channel.ts';
import { localAddressTowards } from '../../platform/peers/relay.ts';
import { clockAttention } from './attention.ts';
import { claimIdentity, INSTANCE, sharedIdentity, takeRow } from './claim.ts';
import { serverIdOf } from './identity.ts';
import { createProcesses } from './processes.ts';
import {
  addressOf,
  DEAD_AFTER_SECONDS,
  holderOf,
  inheritedBy,
  markStopping,
  processOf,
  pullBackHeartbeats,
  removeLost,
  removeServer,
  sendHeartbeat,
} from './store.ts';

export { answeringInstance, NEW_IDENTITY } from './claim.ts';
export { ensureServerId, serverIdOf, writeNewServerId } from './identity.ts';
export { PROCESS_SOCKETS, type Processes } from './processes.ts';
export {
  addressOf,
  clocksApart,
  DEAD_AFTER_SECONDS,
  holderOf,
  processOf,
  serverOf,
} from './store.ts';

/** Purpose of the key that authenticates servers to each other. */
export const PEERS = 'sallyport peers';
const SIGN_EVERY_MILLISECONDS = 10_000;
const FORGET_EVERY_MILLISECONDS = 3_600_000;
const isLoopback = (host: string) => /^(127\.|::1$|\[::1\]$|localhost$)/.test(host) || host === '';
const ANY = new Set(['0.0.0.0', '::']);

/**
 * The servers that share one database, and the processes of each: identity, liveness, and
 * connections between them. A server without a parent and with an embedded database is alone.
 */
export const servers = defineModule({
  name: 'servers',
  tables: ['server'],
  async create({ core: { db, vault, config, log, isCommand = false } }) {
    const id = holderOf(config);
    const serverId = serverIdOf(config);
    const channel = createPeerChannel(vault.keysFor(PEERS));
    const processes = createProcesses(config, channel);
    const isAlone = config.databaseUrl === undefined && !processes.isShared;
    // An embedded database belongs to one folder, which one instance has claimed.
    const instance = randomUUID();
    const { databaseUrl } = config;
    channel.answer(INSTANCE, async (_about, response) => {
      response.end(JSON.stringify(instance));
    });
    // A command is no instance of the server: it claims nothing.
    if (!isCommand && databaseUrl !== undefined) {
      const host = await hostOf(config, databaseUrl);
      await claimIdentity({ db, channel, id, instance, host, databaseUrl });
    } else if (!isCommand && !isAlone) await takeRow(db, id, instance);
    const lapses: (() => Promise<void>)[] = [];
    let self: PeerAddress | undefined;
    let holdsIdentity = true;
    const listenForServers = async (databaseUrl: string): Promise<PeerAddress> => {
      const host = await hostOf(config, databaseUrl);
      const peerPort = config.peerPort === 0 ? 0 : config.peerPort + processes.number - 1;
      const port = await channel.listen(config.httpHost, peerPort).catch((error: unknown) => {
        throw cannotListen(error, config);
      });
      log.info({ host, port }, 'other servers reach this one');
      if (
        isLoopback(host) &&
        !databaseAddress(databaseUrl).hosts.every(
          ({ name }) => name.startsWith('/') || isLoopback(name),
        )
      )
        log.warn(
          { host, port },
          'servers on other machines cannot reach this one for replays and live sessions: set SALLYPORT_HTTP_HOST to an address that they reach',
        );
      return { host, port };
    };
    const heartbeat = async () => {
      if (!self) return;
      if ((await pullBackHeartbeats(db)) > 0)
        log.warn({}, 'a clock was ahead: heartbeats of servers in the future are now');
      const silent = await sendHeartbeat(db, { id, instance }, facts(self));
      holdsIdentity = silent !== undefined;
      if (silent === undefined) {
        log.error(
          { id },
          'another server has taken over the identity of this one (server.id): stop one of them',
        );
        return;
      }
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
        /** The id of the server, the same in all of its processes. */
        serverId,
        /** The ids whose rows this process takes over at its start. */
        inherited: inheritedBy(config),
        processes,
        /** Returns true if no other process can share the database. */
        isAlone,
        /** True if this start recovers the rows of all servers: the database is in its folder. */
        ownsDatabase: config.databaseUrl === undefined && !processes.isJoining,
        channel,
        /** Returns false while another instance has the identity of this server. */
        holdsIdentity: () => holdsIdentity,
        /** Returns true for another server of this installation, with another data folder. */
        isElsewhere: (holder: string | null) =>
          config.databaseUrl !== undefined &&
          holder !== null &&
          processOf(holder).server !== serverId,
        /** The address of another process with a recent heartbeat. Undefined otherwise. */
        async find(holder: string | null): Promise<PeerAddress | undefined> {
          if (isAlone || holder === null || holder === id) return undefined;
          const address = await addressOf(db, holder);
          const { server, number } = processOf(holder);
          return address && server === serverId ? processes.addressOf(number) : address;
        },
        /** Registers a function to call after other servers may have finished rows of this one. */
        onLapse: (lapse: () => Promise<void>) => void lapses.push(lapse),
      },
      attention: clockAttention,
      timers: isAlone
        ? []
        : [
            { everyMilliseconds: SIGN_EVERY_MILLISECONDS, run: heartbeat },
            { everyMilliseconds: FORGET_EVERY_MILLISECONDS, run: () => removeLost(db) },
          ],
      async start() {
        if (isAlone) return;
        if (processes.isShared) await channel.listenLocally(processes.socketOf(processes.number));
        self =
          config.databaseUrl === undefined
            ? processes.addressOf(processes.number)
            : await listenForServers(config.databaseUrl);
        if ((await sendHeartbeat(db, { id, instance }, facts(self))) === undefined)
          throw sharedIdentity(undefined);
      },
      leave: () => (isAlone ? undefined : markStopping(db, instance)),
      handOver: () => markStopping(db, instance),
      async stop() {
        await channel.close();
        await removeServer(db, instance);
        self = undefined;
      },
    };
  },
});

const facts = (address: PeerAddress) => ({ ...address, clockAhead: databaseClock.ahead });

/**
 * The address at which other servers reach this one: the local address of the database connection,
 * unless this server listens on a single address.
 */
const hostOf = async ({ httpHost }: Config, databaseUrl: string): Promise<string> =>
  ANY.has(httpHost) ? localAddressTowards(databaseUrl) : httpHost;

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
