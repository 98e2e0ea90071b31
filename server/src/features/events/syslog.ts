import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6, type Socket } from 'node:net';
import { hostname } from 'node:os';
import type { AddressPolicy } from '../../platform/address-policy.ts';
import { addressesOf } from '../../platform/outgoing.ts';
import { limitEvent, type SentEvent } from './message.ts';
import { DeliveryError, encrypt, openPlain } from './reach.ts';
import type { ReceiverRow } from './store.ts';

/** Facility 13, log audit (RFC 5424 section 6.2.1). */
const FACILITY = 13;
const WARNING = 4;
const INFORMATIONAL = 6;
/** Maximum length of a host name (RFC 5424 section 6). */
const HOST_MAX = 255;
/**
 * Maximum bytes of a message. Receivers should read 8,192 (RFC 5425 section 4.3.1). By default,
 * rsyslog 8.2302 makes two messages of one with more than 8,096. OpenTelemetry's syslog input 0.149
 * reads no fields above 8,192.
 */
const MESSAGE_MAX = 8000;

const printable = (text: string, most: number) =>
  text.replace(/[^\x21-\x7e]/g, '?').slice(0, most) || '-';

/** Escapes characters outside of ASCII as JSON does. Receivers then need no encoding. */
const inAscii = (json: string) =>
  json.replace(
    /[\u007f-\uffff]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const isRefusal = ({ kind, data }: SentEvent) =>
  kind === 'gap' ||
  kind === 'alert' ||
  (kind === 'sign_in' && data.status === false) ||
  (kind === 'file' && data.is_success === false);

/** One message (RFC 5424) with the kind as MSGID and the event as JSON. */
export function syslogMessage(event: SentEvent): string {
  const priority = FACILITY * 8 + (isRefusal(event) ? WARNING : INFORMATIONAL);
  const header = `<${priority}>1 ${event.time} ${printable(hostname(), HOST_MAX)} sallyport ${process.pid} ${event.kind} - `;
  const limited = limitEvent(event, MESSAGE_MAX - header.length, (json) => inAscii(json).length);
  return `${header}${inAscii(JSON.stringify(limited))}`;
}

/**
 * A message in a stream (RFC 6587 section 3.4): its length in bytes, a space and the message, or
 * the message and a newline. Messages contain no newline: their event is JSON.
 */
export function frameOf(message: string, framing: ReceiverRow['framing'] = 'octets'): string {
  return framing === 'newline' ? `${message}\n` : `${Buffer.byteLength(message)} ${message}`;
}

/**
 * Sends events in order. Syslog has no answers, so each connection is used once. The receiver has
 * accepted the events when it closes the connection properly after our end.
 * @throws Error if the receiver is unreachable, has an untrusted certificate, or disconnects early
 */
export async function sendSyslog(
  { host, port, transport, framing, ca_certificate: certificate }: ReceiverRow,
  events: readonly SentEvent[],
  policy: AddressPolicy,
  signal: AbortSignal,
): Promise<void> {
  const addresses = await addressesOf(host, port, policy);
  const messages = events.map(syslogMessage);
  if (transport === 'udp') return sendDatagrams(addresses[0] ?? host, port, messages);
  const plain = await openPlain(addresses, port, signal);
  try {
    const socket = transport === 'tls' ? await encrypt(plain, host, certificate, signal) : plain;
    await deliver(socket, messages.map((message) => frameOf(message, framing)).join(''), signal);
  } finally {
    plain.destroy();
  }
}

/** Writes everything, ends this side, and waits until the receiver ends its side. */
function deliver(socket: Socket, text: string, signal: AbortSignal): Promise<void> {
  return new Promise((settle, fail) => {
    let hasEnded = false;
    let isWritten = false;
    const finish = (problem?: Error) => {
      signal.removeEventListener('abort', abort);
      socket.destroy();
      if (problem) fail(problem);
      else settle();
    };
    const abort = () =>
      finish(
        new DeliveryError(
          isWritten
            ? 'the receiver did not close the connection in time'
            : 'the receiver did not take everything in time',
        ),
      );
    signal.addEventListener('abort', abort, { once: true });
    socket.once('error', finish);
    socket.once('finish', () => {
      isWritten = true;
    });
    // Discards unexpected answers.
    socket.on('data', () => undefined);
    socket.once('end', () => {
      hasEnded = true;
    });
    socket.once('close', () =>
      finish(
        hasEnded && isWritten
          ? undefined
          : new DeliveryError('the receiver closed the connection before it had taken everything'),
      ),
    );
    socket.end(text);
  });
}

/** One datagram per message (RFC 5426). Lost datagrams go unnoticed. */
async function sendDatagrams(
  address: string,
  port: number,
  messages: readonly string[],
): Promise<void> {
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  try {
    for (const message of messages)
      await new Promise<void>((settle, fail) =>
        socket.send(message, port, address, (error) => (error ? fail(error) : settle())),
      );
  } finally {
    const closed = once(socket, 'close');
    socket.close();
    await closed;
  }
}
