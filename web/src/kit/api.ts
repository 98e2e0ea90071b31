import { DEFAULT_ORGANIZATION_ID, HTTP_TIMEOUT } from '@sallyport/contract';
import { COOKIES, readCookie } from './cookies.ts';
import { common, t } from './i18n/index.ts';
import { rememberedOrganization } from './organization.ts';

/** The browser's zone, in which dates are written. */
export function timeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

export const SIGN_IN_PATH = '/core/auth/login/';
const PROFILE = 'users/profile/';
const LONG_TIMEOUT_NAME = 'TimeoutError';

/** Each field's sentences. */
export type FieldMessages = Readonly<Record<string, readonly string[]>>;

/** A refusal or failure of a request, ready to be shown: `message` is one sentence in the language of the page. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The HTTP status; 0 when there was no answer at all. */
  readonly status: number;
  readonly code: string;
  /** The server's own sentence; empty when it sent none. */
  readonly detail: string;
  readonly fields: FieldMessages | undefined;
  /** Of a batch: each item's sentences, aligned with the items that were sent; empty for a good one. */
  readonly items: readonly FieldMessages[] | undefined;
  /** All that the server said, for the few pages that know what else it says. */
  readonly body: unknown;

  constructor(
    status: number,
    code: string,
    detail: string,
    fields?: FieldMessages,
    items?: readonly FieldMessages[],
    body?: unknown,
  ) {
    super(
      detail ||
        (status === 0
          ? t(common.notReached)
          : status === 400
            ? t(common.badRequest)
            : t(common.failed, { status })),
    );
    this.status = status;
    this.code = code;
    this.detail = detail;
    this.fields = fields;
    this.items = items;
    this.body = body;
  }
}

export type QueryValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly (string | number)[];
export type Query = Readonly<Record<string, QueryValue>>;

export interface RequestOptions {
  readonly query?: Query;
  readonly signal?: AbortSignal;
  /** No toast when it fails: the caller shows the failure itself. */
  readonly quiet?: boolean;
}

/** A body that is sent as it is, such as a file. */
interface Payload {
  readonly content: BodyInit;
  /** Absent where the browser itself writes the type, as it does for a form with files. */
  readonly type?: string;
}

/** What happens to the person when a request fails; the pages set it once (see start-app). */
export interface FailureListener {
  failed(error: ApiError): void;
  signedOut(): void;
}

let listener: FailureListener = { failed: () => undefined, signedOut: () => undefined };

/** Names who shows failures. */
export function setFailureListener(chosen: FailureListener): void {
  listener = chosen;
}

/** The address of a call: below `/api/v1/` unless the path begins with a slash. Absent and empty query values are left out. */
export function addressOf(path: string, query: Query = {}): string {
  const base = path.startsWith('/') ? path : `/api/v1/${path}`;
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null || value === '') continue;
    params.set(name, Array.isArray(value) ? value.join(',') : String(value).trim());
  }
  const text = params.toString();
  return text ? `${base}${base.includes('?') ? '&' : '?'}${text}` : base;
}

/** The headers of every request: time zone, organization, and the proof that it comes from one of our pages. */
export function headersOf(type: string | undefined): Headers {
  const headers = new Headers({ Accept: 'application/json', 'X-TZ': timeZone() });
  const token = readCookie(COOKIES.csrf);
  const organization = rememberedOrganization();
  if (token) headers.set('X-CSRFToken', token);
  // Without a chosen one, as at a first visit, requests name the organization that the server takes then.
  headers.set('X-JMS-ORG', organization?.id || DEFAULT_ORGANIZATION_ID);
  if (type) headers.set('Content-Type', type);
  return headers;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

function messagesOf(body: unknown): FieldMessages {
  // A list may hold a bare sentence in the place of an item.
  if (typeof body === 'string') return { non_field_errors: [body] };
  if (!isRecord(body)) return {};
  return Object.fromEntries(
    Object.entries(body).flatMap(([name, value]): [string, readonly string[]][] => {
      if (isTexts(value)) return [[name, value]];
      // Problems inside of a group of fields are named by their path.
      return isRecord(value)
        ? Object.entries(messagesOf(value)).map(([inner, texts]) => [`${name}.${inner}`, texts])
        : [];
    }),
  );
}

/** Reads the body of a refusal: `{code, detail}`, each field's sentences, or a list of these for a batch. */
export function errorOf(status: number, body: unknown): ApiError {
  // A file that was refused as a whole: sentences instead of rows.
  if (status === 400 && isTexts(body) && body.length > 0)
    return new ApiError(status, 'invalid', body.join(' '));
  if (status === 400 && Array.isArray(body))
    return new ApiError(status, 'invalid', '', undefined, body.map(messagesOf));
  if (!isRecord(body)) return new ApiError(status, 'unknown', '');
  const text = [body.detail, body.error, body.msg].find((value) => typeof value === 'string');
  if (typeof text === 'string')
    return new ApiError(
      status,
      typeof body.code === 'string' ? body.code : 'unknown',
      text,
      undefined,
      undefined,
      body,
    );
  return new ApiError(
    status,
    'invalid',
    '',
    status === 400 ? messagesOf(body) : undefined,
    undefined,
    body,
  );
}

async function readBody(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  const text = await response.text();
  if (!text) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The sign-in page, which leads back to where the person is now. */
export function signInAddress(): string {
  const here = location.pathname + location.search;
  return /^\/ui\/(login\/?)?$/.test(here)
    ? SIGN_IN_PATH
    : `${SIGN_IN_PATH}?next=${encodeURIComponent(here)}`;
}

/** A 401 of the profile leads to the sign-in page, any other asks first; neither is a toast (conformance 8.1 and 8.2). */
function tellSignedOut(path: string): void {
  if (path.includes(PROFILE)) location.assign(signInAddress());
  else listener.signedOut();
}

const asJson = (body: unknown): Payload | undefined =>
  body === undefined ? undefined : { content: JSON.stringify(body), type: 'application/json' };

async function request<T>(
  method: string,
  path: string,
  payload: Payload | undefined,
  options: RequestOptions,
): Promise<T> {
  const timeout = AbortSignal.timeout(HTTP_TIMEOUT);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  let response: Response;
  let content: unknown;
  try {
    response = await fetch(addressOf(path, options.query), {
      method,
      headers: headersOf(payload?.type),
      credentials: 'same-origin',
      signal,
      ...(payload && { body: payload.content }),
    });
    content = await readBody(response);
  } catch (cause) {
    if (options.signal?.aborted) throw cause;
    const error = new ApiError(
      0,
      cause instanceof DOMException && cause.name === LONG_TIMEOUT_NAME ? 'timeout' : 'unreachable',
      '',
    );
    if (!options.quiet) listener.failed(error);
    throw error;
  }
  if (response.ok) return content as T;
  const error = errorOf(response.status, content);
  // On the sign-in page a 401 is the answer to a wrong password, not the end of a session.
  if (response.status === 401 && !path.startsWith('/core/auth/')) tellSignedOut(path);
  else if (!options.quiet) listener.failed(error);
  throw error;
}

/** The client of the API. Every call throws {@link ApiError} when it fails, after a message to the user unless `quiet`. */
export const api = {
  get: <T>(path: string, options: RequestOptions = {}) =>
    request<T>('GET', path, undefined, options),
  post: <T>(path: string, body: unknown = {}, options: RequestOptions = {}) =>
    request<T>('POST', path, asJson(body), options),
  put: <T>(path: string, body: unknown, options: RequestOptions = {}) =>
    request<T>('PUT', path, asJson(body), options),
  patch: <T>(path: string, body: unknown = {}, options: RequestOptions = {}) =>
    request<T>('PATCH', path, asJson(body), options),
  /** Sends a body as it is, such as a file. */
  send: <T>(method: 'POST' | 'PUT', path: string, payload: Payload, options: RequestOptions = {}) =>
    request<T>(method, path, payload, options),
  delete: <T = void>(path: string, options: RequestOptions = {}) =>
    request<T>('DELETE', path, undefined, options),
  options: <T>(path: string, options: RequestOptions = {}) =>
    request<T>('OPTIONS', path, undefined, options),
};
