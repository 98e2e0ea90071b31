import type { Duplex } from 'node:stream';
import type { Client } from '@sallyport/ssh';
import type { Hop } from '../../ports.ts';
import type { Route } from '../connector.ts';
import { openTcp } from '../tcp.ts';
import { forwardTo, openSshClient } from './ssh-client.ts';
import { type Peer, silentRefusalOf, unreachedRefusalOf } from './ssh-errors.ts';

/** A connection to the target's port, before any data. */
export interface Transport {
  readonly stream: Duplex;
  /** Closes the gateways of the route. */
  close(): void;
}

/**
 * Connects to the target's port, through its gateways hop by hop. Verifies each host key, tries
 * alternative gateways, and leaves nothing open on failure. `isSsh` is true if the target speaks
 * SSH.
 *
 * @throws Refusal
 */
export async function openTransport(
  { gateways, target, hostKeys, addresses, timeoutMs, onStage }: Route,
  signal: AbortSignal,
  isSsh = false,
): Promise<Transport> {
  const clients: Client[] = [];
  const close = () => {
    for (const client of clients.toReversed()) endClient(client);
  };
  const reach = async (hop: Hop): Promise<Duplex> => {
    const previous = clients.at(-1);
    if (previous) return forwardTo(previous, hop, timeoutMs, signal);
    return openTcp(hop, addresses, timeoutMs, signal).catch((error: unknown) => {
      const mapped = hop === target && !isSsh ? unreachedRefusalOf : silentRefusalOf;
      throw mapped(error, peerOf(hop));
    });
  };
  /** Opens the first reachable gateway. If all fail, throws the error of the first. */
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

/** Closes a connection and ignores late errors. */
export function endClient(client: Client): void {
  client.on('error', () => undefined);
  client.end();
}

/** The server of a hop, for error messages. */
export function peerOf({ host, port, login }: Hop): Peer {
  return { host, port, account: login.username };
}
