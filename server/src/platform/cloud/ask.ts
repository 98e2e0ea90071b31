import { request } from 'node:https';
import { isIP } from 'node:net';
import type { AddressPolicy } from '../address-policy.ts';
import { addressesOf, authoritiesOf, RefusedAddress } from '../outgoing.ts';
import { CloudError } from './cloud.ts';

/** Within this time an answer is complete, from the name of the host to the last byte. */
const PATIENCE = 20_000;
/** Bytes of an answer. */
const ANSWER_MAX = 8 * 1_048_576;
/** Addresses of a host that are tried. */
const MOST_ADDRESSES = 3;
/** Errors after which another address of the host may answer: nothing was sent yet. */
const NOT_CONNECTED = new Set(['ECONNREFUSED', 'ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL']);
/** How OpenSSL and Node name what is wrong with a certificate. */
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

/** Sends one request to a provider. @throws CloudError */
export type Ask = (question: Question) => Promise<Answer>;

export interface AskOptions {
  readonly policy: AddressPolicy;
  /** PEM of the authority; empty: the public ones. */
  readonly certificate: string;
  /** Ends what is under way. */
  readonly signal: AbortSignal;
  /** Milliseconds for one answer; for tests. */
  readonly patience?: number;
}

/**
 * Makes what sends requests: over TLS with a certificate that is checked, to the very address that was checked, bounded in time and size. Redirections
 * are not followed: they would take a signed request to another place.
 */
export function createAsk({ policy, certificate, signal, patience = PATIENCE }: AskOptions): Ask {
  let authorities: string[] | undefined;
  const once = (address: string, { method, url, headers, body }: Question, limit: AbortSignal) =>
    new Promise<Answer>((settle, fail) => {
      const host = plainHost(url);
      authorities ??= authoritiesOf(certificate);
      const asked = request({
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
      asked.once('error', fail);
      asked.once('response', (answer) => {
        const chunks: Buffer[] = [];
        let read = 0;
        answer.on('data', (chunk: Buffer) => {
          read += chunk.length;
          if (read > ANSWER_MAX) asked.destroy(new CloudError('too_long'));
          else chunks.push(chunk);
        });
        answer.once('error', fail);
        answer.once('end', () => {
          const named = Object.entries(answer.headers).map(([name, value]) => [
            name,
            String(value),
          ]);
          settle({
            status: answer.statusCode ?? 0,
            headers: Object.fromEntries(named),
            body: Buffer.concat(chunks),
          });
        });
      });
      asked.end(body);
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

/** Waits for something that cannot be interrupted, but not longer than the signal allows. */
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

/** Reads an answer as JSON. @throws CloudError for one that is none */
export function jsonOf({ body, status }: Answer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {
    // Said below.
  }
  throw new CloudError(status >= 500 ? 'unavailable' : 'unexpected', `HTTP ${status}`);
}
