import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';
import { refuseMetadata } from '../address-policy.ts';
import { DatingAgent } from '../certificate-dates.ts';
import { onUnaskedUpgrade } from '../unasked-upgrade.ts';

/** Addresses and account of an Elasticsearch or OpenSearch cluster. */
export interface Cluster {
  /** `https://host:port` of nodes of the same cluster. */
  readonly hosts: readonly string[];
  readonly username: string;
  readonly password: string;
  /** The only trusted certificate authority, as PEM; '' for the public ones. */
  readonly certificate: string;
}

/** A failed request to a cluster. Administrators may see its message: it contains no secret. */
export class ElasticError extends Error {
  override readonly name = 'ElasticError';
  /** HTTP status; 0 without a response. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface ElasticAnswer {
  readonly status: number;
  readonly body: unknown;
}

interface ElasticRequest {
  readonly method: string;
  readonly path: string;
  readonly content: string | undefined;
  /** Media type of the content. */
  readonly type: string;
}

/** Client of one cluster. */
export interface ElasticClient {
  /**
   * Sends JSON, or lines of JSON, and returns a node's response. Statuses from 400 are errors
   * unless `accepts` lists them.
   * @throws ElasticError
   */
  send(
    method: string,
    path: string,
    body?: unknown,
    options?: { readonly accepts?: readonly number[]; readonly lines?: boolean },
  ): Promise<ElasticAnswer>;
}

/** Timeouts in milliseconds: of silence, and of a request up to the last byte of its answer. */
const TIMEOUTS = { silent: 30_000, whole: 120_000 };
const ANSWER_BYTES = 64 * 1024 * 1024;
const TRIES = 3;
const FIRST_PAUSE_MILLISECONDS = 200;
const MESSAGE_MAX = 200;
/** The node is overloaded or cannot reach the cluster: a retry may succeed. */
const PASSING = [429, 502, 503, 504];

/** Creates the client of a cluster. It connects on first use and always verifies certificates. */
export function createElastic(
  { hosts, username, password, certificate }: Cluster,
  pause = FIRST_PAUSE_MILLISECONDS,
  { silent, whole } = TIMEOUTS,
): ElasticClient {
  const agent = new DatingAgent({
    keepAlive: true,
    maxSockets: 4,
    ...(certificate && { ca: certificate }),
  });
  const authorization =
    username === ''
      ? undefined
      : `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  let first = 0;

  const once = (host: string, { method, path, content, type }: ElasticRequest) =>
    new Promise<ElasticAnswer>((settle, fail) => {
      const url = new URL(host.replace(/\/+$/, '') + path);
      const isSecure = url.protocol === 'https:';
      const headers = {
        accept: 'application/json',
        ...(authorization && { authorization }),
        ...(content !== undefined && {
          'content-type': type,
          'content-length': Buffer.byteLength(content),
        }),
      };
      const signal = AbortSignal.timeout(whole);
      const options = { method, headers, timeout: silent, signal };
      const request = isSecure
        ? requestHttps(url, { ...options, agent })
        : requestHttp(url, options);
      const broken = (error: unknown) => {
        request.destroy();
        const reason = signal.aborted
          ? `no complete answer within ${whole / 1000} s`
          : reasonOf(error);
        fail(new ElasticError(0, `${url.host}: ${reason}`));
      };
      request.on('timeout', () => broken(new Error('no answer')));
      request.on('error', broken);
      onUnaskedUpgrade(request, broken);
      request.on('response', (response) => {
        const parts: Buffer[] = [];
        let size = 0;
        response.on('data', (part: Buffer) => {
          size += part.length;
          if (size > ANSWER_BYTES) broken(new Error('the answer is too large'));
          else parts.push(part);
        });
        response.on('error', broken);
        response.on('aborted', () => broken(new Error('the answer broke off')));
        response.on('end', () =>
          settle({
            status: response.statusCode ?? 0,
            body: jsonOf(Buffer.concat(parts).toString('utf8')),
          }),
        );
      });
      request.end(content);
    });

  return {
    async send(method, path, body, { accepts = [], lines = false } = {}) {
      const content = body === undefined ? undefined : lines ? String(body) : JSON.stringify(body);
      const type = lines ? 'application/x-ndjson' : 'application/json';
      let problem = new ElasticError(0, 'no host is named');
      for (
        let attempt = 0;
        attempt < Math.max(TRIES, hosts.length) && hosts.length > 0;
        attempt++
      ) {
        if (attempt > 0) await wait(pause * 2 ** (attempt - 1));
        const host = hosts[first % hosts.length] ?? '';
        try {
          await refuseMetadata(new URL(host).hostname).catch((error: unknown) => {
            throw new ElasticError(400, reasonOf(error));
          });
          const answer = await once(host, { method, path, content, type });
          if (answer.status < 400 || accepts.includes(answer.status)) return answer;
          problem = new ElasticError(answer.status, `${new URL(host).host}: ${saidIn(answer)}`);
          if (!PASSING.includes(answer.status)) throw problem;
        } catch (error) {
          if (!(error instanceof ElasticError)) throw error;
          problem = error;
          if (error.status !== 0 && !PASSING.includes(error.status)) throw error;
        }
        first += 1;
      }
      throw problem;
    },
  };
}

function reasonOf(error: unknown): string {
  const { code, message } = error as { readonly code?: string; readonly message?: string };
  return (message || code || String(error)).slice(0, MESSAGE_MAX);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns a node's error message, shortened because it may quote a document. */
function saidIn({ status, body }: ElasticAnswer): string {
  const error = (body as { readonly error?: unknown } | undefined)?.error;
  const { type, reason } = (
    typeof error === 'object' && error !== null ? error : { reason: error }
  ) as { readonly type?: unknown; readonly reason?: unknown };
  return [status, type, reason]
    .filter((part) => part !== undefined && part !== null && part !== '')
    .join(' ')
    .slice(0, MESSAGE_MAX);
}
