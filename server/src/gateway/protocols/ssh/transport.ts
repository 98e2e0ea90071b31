import type { Duplex } from 'node:stream';
import type { Client } from '../../../platform/ssh/ssh2.ts';
import type { Hop } from '../../ports.ts';
import type { Route } from '../connector.ts';
import { openTcp } from '../tcp.ts';
import { forwardTo, openSshClient } from './ssh-client.ts';
import { type Peer, silentRefusalOf } from './ssh-errors.ts';

/** A connection to the target's port, on which nothing was said yet. */
export interface Transport {
  readonly stream: Duplex;
  /** Ends the gateways on the route. */
  close(): void;
}

/** Connects to the port of a route's target, through its gateways hop by hop; each proves its own host key, where one fails another that leads there is tried, and nothing is left open when one refuses. @throws Refusal */
export async function openTransport(
  { gateways, target, hostKeys, addresses, timeoutMs, onStage }: Route,
  signal: AbortSignal,
): Promise<Transport> {
  const clients: Client[] = [];
  const close = () => {
    for (const client of clients.toReversed()) endClient(client);
  };
  const reach = async (hop: Hop): Promise<Duplex> => {
    const previous = clients.at(-1);
    if (previous) return forwardTo(previous, hop, timeoutMs, signal);
    return openTcp(hop, addresses, timeoutMs, signal).catch((error: unknown) => {
      throw silentRefusalOf(error, peerOf(hop));
    });
  };
  /** Opens the first of some gateways that can be opened; where none can, the first says why. */
  const openOneOf = async (hops: readonly Hop[]): Promise<Client> => {
    const problems: unknown[] = [];
    for (const hop of hops) {
      try {
        onStage('gateway', hop.name);
        const transport = await reach(hop);
        return await openSshClient({
          hop,
          kind: 'gateway',
          hostKeys,
          timeoutMs,
          transport,
          onAuthenticating: () => undefined,
          signal,
        });
      } catch (error) {
        signal.throwIfAborted();
        hop.onFailed?.();
        problems.push(error);
      }
    }
    throw problems[0];
  };
  try {
    for (const hop of gateways) clients.push(await openOneOf([hop, ...(hop.others ?? [])]));
    onStage('connecting', target.name);
    return { stream: await reach(target), close };
  } catch (error) {
    close();
    throw error;
  }
}

/** Ends a connection; what still goes wrong with it does not matter. */
export function endClient(client: Client): void {
  client.on('error', () => undefined);
  client.end();
}

/** The server of a hop, for the texts of problems. */
export function peerOf({ host, port, login }: Hop): Peer {
  return { host, port, account: login.username };
}
