import { lookup } from 'node:dns/promises';
import { connect, isIP, type Socket } from 'node:net';
import type { AddressPolicy } from '../../platform/address-policy.ts';
import { readFairly } from '../../platform/fair-reads.ts';
import { Refusal } from '../refusal.ts';

export interface TcpTarget {
  readonly host: string;
  readonly port: number;
}

/**
 * Connects to the first server of a route. The policy checks the resolved address, and the
 * connection uses exactly this address.
 */
export async function openTcp(
  { host, port }: TcpTarget,
  addresses: AddressPolicy,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Socket> {
  const addressList = isIP(host)
    ? [host]
    : (await lookup(host, { all: true })).map(({ address }) => address);
  signal.throwIfAborted();
  const allowed = addressList.filter((address) => addresses.allows(address, port));
  const [first, ...others] = allowed;
  if (first === undefined) throw new Refusal('connect_address', { host: `${host}:${port}` });
  let problem: unknown;
  for (const address of [first, ...others]) {
    try {
      return await connectTo(address, port, timeoutMs / allowed.length, signal);
    } catch (error) {
      signal.throwIfAborted();
      problem ??= error;
    }
  }
  throw problem;
}

function connectTo(
  address: string,
  port: number,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Socket> {
  return new Promise((done, failed) => {
    const socket = connect({ host: address, port, noDelay: true });
    const timer = setTimeout(
      () => giveUp(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })),
      timeoutMs,
    );
    const abort = () => giveUp(signal.reason);
    const giveUp = (reason: unknown) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      socket.destroy();
      failed(reason);
    };
    signal.addEventListener('abort', abort, { once: true });
    socket.once('error', giveUp);
    socket.once('connect', () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      socket.off('error', giveUp);
      readFairly(socket);
      done(socket);
    });
  });
}
