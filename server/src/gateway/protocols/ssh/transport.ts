import type { Duplex } from 'node:stream';
import type { Client } from '@sallyport/ssh';
import type { Hop } from '../../ports.ts';
import type { Route } from '../connector.ts';
import { openTcp } from '../tcp.ts';
import { forwardTo, openSshClient } from './ssh-client.ts';
import { peerOf, silentRefusalOf, unreachedRefusalOf } from './ssh-errors.ts';

/** A connection to the target's port, before any data. */
export interface Transport {
  readonly stream: Duplex;
  /** Closes the gateways of the route. */
  close(): void;
}

/** A gateway on the way, opened. */
interface Passed {
  /** Opens a stream from it to the next server. */
  forward(next: Hop): Promise<Duplex>;
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
  const passed: Passed[] = [];
  const close = () => {
    for (const one of passed.toReversed()) one.close();
  };
  const reach = async (hop: Hop): Promise<Duplex> => {
    const previous = passed.at(-1);
    if (previous) return previous.forward(hop);
    return openTcp(hop, addresses, timeoutMs, signal).catch((error: unknown) => {
      const mapped = hop === target && !isSsh ? unreachedRefusalOf : silentRefusalOf;
      throw mapped(error, peerOf(hop));
    });
  };
  /** Opens the first reachable gateway. If all fail, throws the error of the first. */
  const openOneOf = async (hops: readonly Hop[]): Promise<Passed> => {
    const problems: unknown[] = [];
    for (const hop of hops) {
      try {
        onStage('gateway', hop.name);
        const { tunnel } = hop;
        // The site connected to us, so no other gateway leads to it.
        if (tunnel) {
          await tunnel.find();
          return {
            forward: ({ host, port }) => tunnel.open({ host, port }, signal),
            close: () => undefined,
          };
        }
        const transport = await reach(hop);
        const client = await openSshClient({
          hop,
          kind: 'gateway',
          hostKeys,
          timeoutMs,
          transport,
          onAuthenticating: () => undefined,
          signal,
        });
        return {
          forward: (next) => forwardTo(client, next, timeoutMs, signal),
          close: () => endClient(client),
        };
      } catch (error) {
        signal.throwIfAborted();
        hop.onFailed?.();
        problems.push(error);
      }
    }
    throw problems[0];
  };
  try {
    for (const hop of gateways) passed.push(await openOneOf([hop, ...(hop.others ?? [])]));
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
