/** Requests of an open channel that ssh2 drops or refuses. */
import { outgoingOf, protocolOfChannel, takesRequests } from './channel-internals.ts';
import { sendMessage } from './internals.ts';
import type { ClientChannel } from './ssh2.ts';
import { counted } from './texts.ts';

const CHANNEL_REQUEST = 98;
const SIGNAL_NAME = /^[\x21-\x7e]{1,64}$/;

/**
 * Returns true for a name of RFC 4250, section 4.6.1: 1 to 64 printable ASCII characters. Names
 * that RFC 4254 does not list contain an `@`; programs also use names without one, such as `WINCH`.
 */
export const isSignalName = (name: string): boolean => SIGNAL_NAME.test(name);

/** The body of a request without an answer. */
export function requestOf(id: number, type: string, ...fields: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(5);
  head[0] = CHANNEL_REQUEST;
  head.writeUInt32BE(id, 1);
  return Buffer.concat([head, counted(type), Buffer.from([0]), ...fields]);
}

/**
 * Sends a signal to the program of a session (RFC 4254, section 6.9), by its name without `SIG`.
 * ssh2 throws for names that the RFC does not list, and drops every signal after the end of input.
 */
export function sendSignal(channel: ClientChannel, name: string): void {
  send(channel, 'signal', counted(name));
}

/** Tells the program of a session the new size of its terminal, also after the end of input. */
export function sendWindowSize(channel: ClientChannel, cols: number, rows: number): void {
  const size = Buffer.alloc(16);
  size.writeUInt32BE(cols, 0);
  size.writeUInt32BE(rows, 4);
  send(channel, 'window-change', size);
}

function send(channel: ClientChannel, type: string, field: Buffer): void {
  const { id, state } = outgoingOf(channel);
  if (!takesRequests(state)) return;
  sendMessage(protocolOfChannel(channel), requestOf(id, type, field));
}
