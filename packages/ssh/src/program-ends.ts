/** Ends of programs and connections with the fields of the protocol that ssh2 drops or refuses. */
import { channelWithId, handlersOf } from './channel-internals.ts';
import { isSignalName, requestOf } from './channel-requests.ts';
import { DisconnectReason } from './disconnects.ts';
import { type Protocol, protocolOf, sendMessage } from './internals.ts';
import { type Client, type ClientChannel, currentRequest } from './ssh2.ts';
import { counted } from './texts.ts';
import { WireReader } from './wire-reader.ts';

/** Exit status of a program, or the signal that ended it (RFC 4254, section 6.10). */
export type ProgramExit =
  | { readonly code: number }
  | {
      /** Without `SIG`. Names that the RFC does not list contain an `@`. */
      readonly signal: string;
      readonly isDumped?: boolean;
      readonly message?: string;
      readonly language?: string;
    };

/** The exit status for a signal whose name violates RFC 4250, section 4.6.1. */
const UNKNOWN_EXIT = 255;
const LANGUAGE_TAG = /^[A-Za-z0-9-]{0,35}$/;
const MAX_MESSAGE = 512;

/** Makes a text of a peer safe to show: one line without control characters, limited in length. */
export const safeText = (text: string): string =>
  text
    .slice(0, MAX_MESSAGE * 4)
    .replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, MAX_MESSAGE)
    .toWellFormed();

/** Reads how a program ended, while ssh2's event `exit` is handled. */
export function readExit(code: number | null, signal: unknown): ProgramExit {
  if (code !== null) return { code };
  const name = String(signal ?? '').replace(/^SIG/, '');
  const exit = signalIn(currentRequest());
  // Servers from before the RFC send a number instead of a name. Only ssh2 knows them.
  if (exit?.signal === name) return exit;
  return isSignalName(name) ? { signal: name } : { code: UNKNOWN_EXIT };
}

function signalIn(request: Buffer | undefined) {
  if (!request) return undefined;
  try {
    const reader = new WireReader(request);
    reader.bytes(1 + 4);
    if (reader.string().toString('latin1') !== 'exit-signal') return undefined;
    reader.bytes(1);
    const signal = reader.string().toString('latin1');
    const isDumped = reader.bytes(1)[0] !== 0;
    const message = safeText(reader.string().toString());
    const language = reader.string().toString('latin1');
    if (!isSignalName(signal)) return undefined;
    return { signal, isDumped, message, language: LANGUAGE_TAG.test(language) ? language : '' };
  } catch {
    return undefined;
  }
}

/** Tells a client how its program ended. ssh2 refuses signals that the RFC does not list. */
export function sendExit(protocol: Protocol, id: number, exit: ProgramExit): void {
  if ('code' in exit) {
    protocol.exitStatus(id, exit.code);
    return;
  }
  sendMessage(
    protocol,
    requestOf(
      id,
      'exit-signal',
      counted(exit.signal),
      Buffer.from([exit.isDumped ? 1 : 0]),
      counted(exit.message ?? ''),
      counted(exit.language ?? ''),
    ),
  );
}

/** The server ended the connection with a message of the protocol. */
export class ServerDisconnect extends Error {
  readonly reason: number;
  /** The text of the server, safe to show; may be empty. */
  readonly text: string;

  constructor(reason: number, text: string) {
    super(`the server disconnected: ${reason}`);
    this.name = 'ServerDisconnect';
    this.reason = reason;
    this.text = safeText(text);
  }
}

/**
 * Emits each disconnect of the server as an error of this class. ssh2 drops the text if the reason
 * is "by application". Call it after `connect`.
 */
export function reportDisconnect(client: Client): void {
  const handlers = handlersOf(protocolOf(client));
  const end = handlers.DISCONNECT;
  handlers.DISCONNECT = (protocol, reason, text) => {
    client.emit('error', new ServerDisconnect(reason, text));
    end(protocol, DisconnectReason.byApplication, '');
  };
}

/**
 * Calls `onSent` with the channel when the next request for a shell or a command is sent. ssh2
 * itself returns the channel with the answer: too late for an end that precedes it. Returns a
 * function that cancels.
 */
export function catchRequest(
  client: Client,
  name: 'exec' | 'shell',
  onSent: (channel: ClientChannel) => void,
): () => void {
  const protocol = protocolOf(client);
  const original = protocol[name];
  const send: typeof original = (id, ...rest) => {
    cancel();
    const channel = channelWithId(client, id);
    if (channel) onSent(channel);
    original.call(protocol, id, ...rest);
  };
  const cancel = () => {
    if (protocol[name] === send) protocol[name] = original;
  };
  protocol[name] = send;
  return cancel;
}
