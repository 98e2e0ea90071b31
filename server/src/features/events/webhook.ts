import { createHmac } from 'node:crypto';
import { request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { isIP } from 'node:net';
import type { AddressPolicy } from '../../platform/address-policy.ts';
import { noteDates } from '../../platform/certificate-dates.ts';
import { addressesOf, authoritiesOf } from '../../platform/outgoing.ts';
import { onUnaskedUpgrade } from '../../platform/unasked-upgrade.ts';
import { limitEvent, SCHEMA_VERSION, type SentEvent } from './message.ts';
import { DeliveryError } from './reach.ts';
import type { ReceiverRow } from './store.ts';

/** Maximum bytes of an answer. */
const ANSWER_MAX = 65_536;
/** Maximum bytes of an event. */
const EVENT_MAX = 16_384;

/**
 * The signature of a body: hexadecimal HMAC-SHA256 of the time (seconds since 1970), a dot and the
 * body.
 */
export function signatureOf(secret: string, time: number, body: string): string {
  return createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
}

interface WebhookReceiver extends Pick<ReceiverRow, 'url' | 'ca_certificate'> {
  /** Key of the signature. */
  readonly key: string;
}

/**
 * Posts events in order in one body. The receiver accepts them with a 2xx answer. Redirects are not
 * followed.
 * @throws Error for any other answer, an untrusted certificate, or an unreachable receiver
 */
export async function sendWebhook(
  { url, ca_certificate: certificate, key }: WebhookReceiver,
  events: readonly SentEvent[],
  policy: AddressPolicy,
  signal: AbortSignal,
): Promise<void> {
  const target = new URL(url);
  const isTls = target.protocol === 'https:';
  const host = target.hostname.replace(/^\[|\]$/g, '');
  const port = Number(target.port) || (isTls ? 443 : 80);
  const [address = host] = await addressesOf(host, port, policy);
  const body = JSON.stringify({
    version: SCHEMA_VERSION,
    events: events.map((event) => limitEvent(event, EVENT_MAX, Buffer.byteLength)),
  });
  const time = Math.floor(Date.now() / 1_000);
  const headers = {
    host: target.host,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'Sallyport',
    'x-sallyport-delivery': events.at(-1)?.id ?? '',
    'x-sallyport-signature': `t=${time},v1=${signatureOf(key, time, body)}`,
  };
  // Connects to the address that the policy checked. The name may resolve to another one later.
  const options = {
    method: 'POST',
    host: address,
    port,
    path: `${target.pathname}${target.search}`,
    headers,
    agent: false,
    signal,
  } as const;
  const tls = {
    ca: authoritiesOf(certificate),
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    ...(isIP(host) === 0 && { servername: host }),
  } as const;
  await new Promise<void>((settle, fail) => {
    const outgoing = isTls ? requestTls({ ...options, ...tls }) : requestPlain(options);
    outgoing.once('socket', noteDates);
    outgoing.once('error', (error) =>
      fail(signal.aborted ? new DeliveryError('no answer in time') : error),
    );
    onUnaskedUpgrade(outgoing, fail);
    outgoing.once('response', (answer) => {
      const status = answer.statusCode ?? 0;
      let read = 0;
      answer.on('data', (chunk: Buffer) => {
        read += chunk.length;
        if (read > ANSWER_MAX) outgoing.destroy(new DeliveryError('the answer is too long'));
      });
      answer.once('error', fail);
      answer.once('end', () =>
        status >= 200 && status < 300
          ? settle()
          : fail(new DeliveryError(`the receiver answered ${status}`)),
      );
    });
    outgoing.end(body);
  });
}
