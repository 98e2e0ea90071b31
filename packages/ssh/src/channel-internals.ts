/**
 * The private parts of ssh2's channels, as `internals.ts` has those of its connections.
 * `internals.test.ts` checks each part.
 */
import { having, member, type Protocol, protocolOf } from './internals.ts';

/** One direction of a channel. */
export interface Side {
  readonly id: number;
  readonly packetSize: number;
  window: number;
  readonly state: string;
}

const sideOf = (value: unknown): Side => having<Side>(value, 'id', 'packetSize', 'window', 'state');

export const incomingOf = (channel: object): Side => sideOf(member(channel, 'incoming'));
export const outgoingOf = (channel: object): Side => sideOf(member(channel, 'outgoing'));

export const protocolOfChannel = (channel: object): Protocol =>
  protocolOf(having(member(channel, '_client')));

/** Calls back when the peer enlarges its window. */
export function awaitWindow(channel: object, onWindow: () => void): void {
  Reflect.set(channel, '_waitWindow', true);
  Reflect.set(channel, '_chunkcb', onWindow);
}

/** The keep-alive of a client. */
export function keepaliveOf(client: object): {
  /** Calls a listener for each packet of the server. */
  onPacket(listener: () => void): void;
  /** Forgets the unanswered questions. */
  reset(): void;
} {
  const { _resetKA: reset } = having<{ _resetKA: () => void }>(client, '_resetKA');
  const protocol = having<{ _onPacket: () => void }>(protocolOf(client), '_onPacket');
  return {
    onPacket: (listener) => Reflect.set(protocol, '_onPacket', listener),
    reset,
  };
}
