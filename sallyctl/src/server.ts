import { hostname } from 'node:os';
import { Failure, STATUS } from './failure.ts';
import { language, t } from './language.ts';
import { plain } from './print.ts';
import type { Stored } from './stored.ts';
import { words } from './words.ts';

declare const __VERSION__: string;

export const VERSION = __VERSION__;
const TIMEOUT_MS = 30_000;
const MAX_PAGES = 50;
const PAGE = 100;
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** The name under which users recognize this device. */
export const DEVICE =
  hostname()
    .replace(/\p{Cc}/gu, '')
    .slice(0, 64) || 'device';
const USER_AGENT = `sallyctl/${VERSION} (${DEVICE.replace(/[^\x21-\x7e ]|[()]/g, '-')}; ${process.platform})`;

/** An answer of the server that is no success. */
export class Refused extends Failure {
  readonly body: Readonly<Record<string, unknown>>;

  constructor(text: string, status: number, body: Readonly<Record<string, unknown>>) {
    super(text, status);
    this.body = body;
  }
}

/**
 * Reads the address of a server. A token never travels without TLS, except on this machine.
 * @throws Failure
 */
export function readServer(text: string): string {
  const address = /^https?:\/\//i.test(text) ? text : `https://${text}`;
  if (!URL.canParse(address)) throw new Failure(t(words.badServer, { server: text }), STATUS.usage);
  const { protocol, hostname: host, origin } = new URL(address);
  if (protocol !== 'https:' && !LOOPBACK.test(host))
    throw new Failure(t(words.plainServer, { server: text }), STATUS.usage);
  return origin;
}

/** Describes an error body in one line per problem. */
function describe(body: unknown, status: number): string {
  if (typeof body !== 'object' || body === null) return t(words.answered, { status });
  const { detail, msg, ...fields } = body as Record<string, unknown>;
  const whole = detail ?? msg;
  if (typeof whole === 'string') return plain(whole);
  const lines = Object.entries(fields).flatMap(([field, texts]) =>
    [texts]
      .flat()
      .map((text) => plain(field === 'non_field_errors' ? `${text}` : `${field}: ${text}`)),
  );
  return lines.length > 0 ? lines.join('\n') : t(words.answered, { status });
}

const STATUS_OF: Readonly<Record<number, number>> = {
  401: STATUS.notSignedIn,
  403: STATUS.refused,
  404: STATUS.notFound,
};

/** The host of a server, as programs name it: without the brackets of IPv6. */
export const hostOf = ({ url }: Server): string => new URL(url).hostname.replace(/^\[|\]$/g, '');

/** The API of a server, with or without a sign-in. */
export class Server {
  readonly url: string;
  private readonly token: string | undefined;
  private readonly organization: string | undefined;

  constructor(url: string, token?: string, organization?: string) {
    this.url = url;
    this.token = token;
    this.organization = organization;
  }

  static of({ server, token }: Stored, organization?: string): Server {
    return new Server(server, token, organization);
  }

  /** Sends a request. @throws Refused, Failure */
  async send(method: string, path: string, body?: unknown, isLong = false): Promise<Response> {
    const url = new URL(path.startsWith('/') ? path : `/api/v1/${path}`, this.url);
    const response = await fetch(url, {
      method,
      // A redirect could take the token elsewhere.
      redirect: 'error',
      ...(!isLong && { signal: AbortSignal.timeout(TIMEOUT_MS) }),
      ...(body !== undefined && { body: JSON.stringify(body) }),
      headers: {
        accept: 'application/json',
        'accept-language': language,
        'user-agent': USER_AGENT,
        'x-tz': Intl.DateTimeFormat().resolvedOptions().timeZone,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(this.token && { authorization: `Bearer ${this.token}` }),
        ...(this.organization && { 'x-jms-org': this.organization }),
      },
    }).catch((error: Error) => {
      const reason = error.cause instanceof Error ? error.cause.message : error.message;
      throw new Failure(t(words.unreachable, { server: this.url, reason }), STATUS.unreachable);
    });
    if (response.ok) return response;
    const answer: unknown = await response.json().catch(() => undefined);
    const status = STATUS_OF[response.status] ?? STATUS.failed;
    const message =
      response.status === 401 && this.token
        ? t(words.endedSignIn)
        : describe(answer, response.status);
    throw new Refused(message, status, (answer ?? {}) as Record<string, unknown>);
  }

  async get<T>(path: string): Promise<T> {
    return (await (await this.send('GET', path)).json()) as T;
  }

  async post<T>(path: string, body: unknown = {}): Promise<T> {
    const text = await (await this.send('POST', path, body)).text();
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  /** Reads the rows of a list, page by page, up to a maximum. */
  async rows<T>(
    path: string,
    query: Readonly<Record<string, string>>,
    max = MAX_PAGES * PAGE,
  ): Promise<{ readonly rows: T[]; readonly count: number }> {
    const rows: T[] = [];
    for (;;) {
      const limit = Math.min(PAGE, max - rows.length);
      const words = new URLSearchParams({ ...query, limit: `${limit}`, offset: `${rows.length}` });
      const page = await this.get<{ count: number; next: string | null; results: T[] }>(
        `${path}?${words}`,
      );
      rows.push(...page.results);
      if (page.next === null || page.results.length === 0 || rows.length >= max)
        return { rows, count: page.count };
    }
  }
}
