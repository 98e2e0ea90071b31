/**
 * The private parts of ssh2's channels, as `internals.ts` has those of its connections.
 * `internals.test.ts` checks each part.
 */
import { EventEmitter } from 'node:events';
import { having, member, type Protocol, protocolOf } from './internals.ts';
import type { ClientChannel } from './ssh2.ts';

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

type Handler<Args extends readonly unknown[]> = (protocol: Protocol, ...args: Args) => void;

interface Handlers {
  /** Reason and text. */
  DISCONNECT: Handler<[reason: number, text: string]>;
  CHANNEL_REQUEST: Handler<[channel: number, type: string, wantsReply: boolean, data: unknown]>;
}

/** The functions with which ssh2 handles messages of the peer. */
export const handlersOf = (protocol: Protocol): Handlers =>
  having<Handlers>(member(protocol, '_handlers'), 'DISCONNECT', 'CHANNEL_REQUEST');

/** A session of a client whose shell, command or subsystem has started. */
interface StartedSession {
  readonly session: EventEmitter;
  /** The number of the channel at the client. */
  readonly id: number;
  /** True until our side closes the channel. */
  readonly isOpen: boolean;
}

/** Returns the started session that has this number at the server. */
export function startedSession(connection: object, number: number): StartedSession | undefined {
  const sessions = having<{ get(id: number): unknown }>(member(connection, '_chanMgr'), 'get');
  const session = sessions.get(number);
  if (!(session instanceof EventEmitter)) return undefined;
  const channel = member(session, '_channel');
  if (typeof channel !== 'object' || channel === null) return undefined;
  const { id, state } = outgoingOf(channel);
  return { session, id, isOpen: takesRequests(state) };
}

/** True for a state of our side in which it may send: open, and after the end of its data. */
export const takesRequests = (state: string): boolean => state === 'open' || state === 'eof';

/** Returns the open channel of a client that the server knows by this number. */
export function channelWithId(client: object, id: number): ClientChannel | undefined {
  const { _channels: channels } = having<{ _channels: Record<number, unknown> }>(
    member(client, '_chanMgr'),
    '_channels',
  );
  for (const channel of Object.values(channels)) {
    // A function waits for a channel that is not open yet.
    if (typeof channel !== 'object' || channel === null) continue;
    if (outgoingOf(channel).id === id) return having<ClientChannel>(channel, 'stderr', 'close');
  }
  return undefined;
}

/** Returns true if the server has closed the channel. */
export const isClosedByServer = (channel: object): boolean =>
  incomingOf(channel).state === 'closed';
