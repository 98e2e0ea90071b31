import { createHash, createHmac } from 'node:crypto';
import { request } from 'node:https';
import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AddressPolicy } from '../address-policy.ts';
import { noteDates } from '../certificate-dates.ts';
import { addressesOf, authoritiesOf, RefusedAddress } from '../outgoing.ts';
import { onUnaskedUpgrade } from '../unasked-upgrade.ts';
import { CloudError } from './cloud.ts';

/** Transient problems, which a retry may solve. */
const PASSING = new Set(['throttled', 'unavailable', 'no_answer']);
const TRIES = 5;
/** Fewer tries after timeouts, because each of them already took long. */
const SILENT_TRIES = 3;
const FIRST_MILLISECONDS = 500;
const LONGEST_MILLISECONDS = 8_000;

/**
 * Returns the pause before the next try in milliseconds. Half of it is random, to spread clients
 * that were throttled at the same time.
 */
export function pauseAfter(tries: number): number {
  const whole = Math.min(LONGEST_MILLISECONDS, FIRST_MILLISECONDS * 2 ** (tries - 1));
  return whole / 2 + (Math.random() * whole) / 2;
}

/**
 * Retries `work` after transient problems, with growing pauses.
 * @throws CloudError
 */
export async function patiently<T>(
  work: () => Promise<T>,
  signal: AbortSignal,
  tries = TRIES,
): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof CloudError) || !PASSING.has(error.problem) || signal.aborted)
        throw error;
      if (tried >= (error.problem === 'no_answer' ? Math.min(SILENT_TRIES, tries) : tries))
        throw error;
      await sleep(pauseAfter(tried), undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Timeout of a request in milliseconds, from the DNS lookup to the last byte. */
const PATIENCE = 20_000;
/** Maximum bytes of a response. */
const ANSWER_MAX = 8 * 1_048_576;
/** Maximum addresses of a host that we try. */
const MOST_ADDRESSES = 3;
/** Errors after which we try the next address of the host: no data was sent yet. */
const NOT_CONNECTED = new Set(['ECONNREFUSED', 'ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL']);
/** Codes of certificate errors in OpenSSL and Node. */
const OF_CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS|ERR_SSL/;

export interface Question {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/**
 * Sends one request to a provider.
 * @throws CloudError
 */
export type Ask = (question: Question) => Promise<Answer>;

export interface AskOptions {
  readonly policy: AddressPolicy;
  /** Certificate authority as PEM; empty: the public authorities. */
  readonly certificate: string;
  /** Aborts pending requests. */
  readonly signal: AbortSignal;
  /** Timeout of one request in milliseconds; set by tests. */
  readonly patience?: number;
}

/**
 * Creates a client that verifies certificates, connects only to addresses that the policy allows,
 * and limits time and size. It does not follow redirects, which would send a signed request to
 * another host.
 */
export function createAsk({ policy, certificate, signal, patience = PATIENCE }: AskOptions): Ask {
  let authorities: string[] | undefined;
  const once = (address: string, { method, url, headers, body }: Question, limit: AbortSignal) =>
    new Promise<Answer>((settle, fail) => {
      const host = plainHost(url);
      authorities ??= authoritiesOf(certificate);
      const outgoing = request({
        method,
        host: address,
        port: portOf(url),
        path: `${url.pathname}${url.search}`,
        headers: {
          ...headers,
          host: url.host,
          ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
        },
        agent: false,
        signal: limit,
        ca: authorities,
        rejectUnauthorized: true,
        minVersion: 'TLSv1.2',
        ...(isIP(host) === 0 && { servername: host }),
      });
      outgoing.once('socket', noteDates);
      outgoing.once('error', fail);
      onUnaskedUpgrade(outgoing, fail);
      outgoing.once('response', (answer) => {
        const chunks: Buffer[] = [];
        let read = 0;
        answer.on('data', (chunk: Buffer) => {
          read += chunk.length;
          if (read > ANSWER_MAX) outgoing.destroy(new CloudError('too_long'));
          else chunks.push(chunk);
        });
        answer.once('error', fail);
        answer.once('end', () => {
          const headers = Object.entries(answer.headers).map(([name, value]) => [
            name,
            String(value),
          ]);
          settle({
            status: answer.statusCode ?? 0,
            headers: Object.fromEntries(headers),
            body: Buffer.concat(chunks),
          });
        });
      });
      outgoing.end(body);
    });

  return async (question) => {
    const { url } = question;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(patience)]);
    try {
      const addresses = await before(limit, addressesOf(plainHost(url), portOf(url), policy));
      let problem: unknown;
      for (const address of addresses.slice(0, MOST_ADDRESSES)) {
        try {
          return await once(address, question, limit);
        } catch (error) {
          problem = error;
          if (!NOT_CONNECTED.has(codeOf(error))) break;
        }
      }
      throw problem;
    } catch (error) {
      throw asCloudError(error, url.host, limit);
    }
  };
}

const plainHost = (url: URL) => url.hostname.replace(/^\[|\]$/g, '');
const portOf = (url: URL) => Number(url.port) || 443;
const codeOf = (error: unknown) =>
  String((error as { readonly code?: unknown } | undefined)?.code ?? '');

/** Rejects when `limit` aborts before `work` ends. `work` itself continues. */
function before<T>(limit: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((settle, fail) => {
    if (limit.aborted) fail(limit.reason);
    limit.addEventListener('abort', () => fail(limit.reason), { once: true });
    work.then(settle, fail);
  });
}

function asCloudError(error: unknown, host: string, limit: AbortSignal): CloudError {
  if (error instanceof CloudError) return error;
  if (error instanceof RefusedAddress) return new CloudError('refused_address', error.message);
  if (limit.aborted) return new CloudError('no_answer', host);
  const code = codeOf(error);
  if (OF_CERTIFICATE.test(code)) return new CloudError('untrusted', `${host}: ${code}`);
  return new CloudError('no_answer', `${host}: ${code || 'no connection'}`);
}

/**
 * Parses a response as JSON.
 * @throws CloudError if it is not a JSON object
 */
export function jsonOf({ body, status }: Answer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {
    // The error below reports it.
  }
  throw new CloudError(status >= 500 ? 'unavailable' : 'unexpected', `HTTP ${status}`);
}

/** Returns SHA-256 in hexadecimal digits. */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export const hmac = (key: string | Buffer, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest();

/** Percent-encodes by RFC 3986, including five characters that `encodeURIComponent` keeps. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Formats a query sorted by name, as signatures require. */
export function sortedQuery(parameters: Readonly<Record<string, string>>): string {
  return Object.entries(parameters)
    .map(([name, value]) => [encoded(name), encoded(value)] as const)
    .sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}
