import { DEFAULT_ORGANIZATION_ID, HTTP_TIMEOUT } from '@sallyport/contract';
import { COOKIES, readCookie, rememberedOrganization } from './cookies.ts';
import { common, LANGUAGE_TAG, t } from './i18n/index.ts';

/** Debounce of a search in milliseconds: avoids a request per keystroke. */
export const SEARCH_DELAY = 250;

/** Returns the time zone of the browser, used for dates. */
export function timeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

export const SIGN_IN_PATH = '/core/auth/login/';

const PROFILE = 'users/profile/';

const LONG_TIMEOUT_NAME = 'TimeoutError';

/** Error messages by field name. */
export type FieldMessages = Readonly<Record<string, readonly string[]>>;

/** The parts of a failed answer beyond its code. */
interface ErrorParts {
  readonly fields?: FieldMessages | undefined;
  readonly items?: readonly FieldMessages[];
  readonly body?: unknown;
}

/** A failed request; `message` is one sentence in the language of the page. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The HTTP status; 0 without an answer. */
  readonly status: number;
  readonly code: string;
  /** The message of the server; empty without one. */
  readonly detail: string;
  readonly fields: FieldMessages | undefined;
  /** Field errors of a batch by item, in the order of the request; empty for a valid item. */
  readonly items: readonly FieldMessages[] | undefined;
  /** The complete response body, for pages that know its special members. */
  readonly body: unknown;

  constructor(
    status: number,
    code: string,
    detail: string,
    { fields, items, body }: ErrorParts = {},
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
  /** Suppresses the toast; the caller reports the failure itself. */
  readonly quiet?: boolean;
}

/** A raw body, such as a file. */
interface Payload {
  readonly content: BodyInit;
  /** Undefined where the browser sets the content type, as for multipart forms. */
  readonly type?: string;
}

/** A write that change control refused. */
export interface RefusedWrite {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** Reports failed requests to the user; set once per page (see start-app). */
export interface FailureListener {
  failed(error: ApiError): void;
  signedOut(): void;
  /** Offers to propose a write that change control refused. Resolves to true once proposed. */
  mustPropose?(write: RefusedWrite): Promise<boolean>;
}

/** Code of the error of a write that the user proposed instead, and of which the user knows. */
export const PROPOSED = 'change_proposed';

let listener: FailureListener = { failed: () => undefined, signedOut: () => undefined };

export function setFailureListener(chosen: FailureListener): void {
  listener = chosen;
}

/**
 * Builds the address of a call: below `/api/v1/` unless the path starts with a slash. Drops
 * undefined and empty query values.
 */
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

/** Returns the headers of every request: language, time zone, organization and CSRF token. */
export function headersOf(type: string | undefined): Headers {
  const headers = new Headers({
    Accept: 'application/json',
    'Accept-Language': LANGUAGE_TAG,
    'X-TZ': timeZone(),
  });
  const token = readCookie(COOKIES.csrf);
  const organization = rememberedOrganization();
  if (token) headers.set('X-CSRFToken', token);
  // Without a chosen organization, as on a first visit, requests name the default one.
  headers.set('X-JMS-ORG', organization?.id || DEFAULT_ORGANIZATION_ID);
  if (type) headers.set('Content-Type', type);
  return headers;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

function messagesOf(body: unknown): FieldMessages {
  // The server may send a plain string instead of an item.
  if (typeof body === 'string') return { non_field_errors: [body] };
  if (!isRecord(body)) return {};
  return Object.fromEntries(
    Object.entries(body).flatMap(([name, value]): [string, readonly string[]][] => {
      if (isTexts(value)) return [[name, value]];
      // Errors inside an object field are addressed by their path.
      return isRecord(value)
        ? Object.entries(messagesOf(value)).map(([inner, texts]) => [`${name}.${inner}`, texts])
        : [];
    }),
  );
}

/**
 * Parses the body of a failed request: `{code, detail}`, errors by field, or a list of those for a
 * batch.
 */
export function errorOf(status: number, body: unknown): ApiError {
  // A file rejected as a whole: a list of strings instead of rows.
  if (status === 400 && isTexts(body) && body.length > 0)
    return new ApiError(status, 'invalid', body.join(' '));
  if (status === 400 && Array.isArray(body))
    return new ApiError(status, 'invalid', '', { items: body.map(messagesOf) });
  if (!isRecord(body)) return new ApiError(status, 'unknown', '');
  const text = [body.detail, body.error, body.msg].find((value) => typeof value === 'string');
  if (typeof text === 'string')
    return new ApiError(status, typeof body.code === 'string' ? body.code : 'unknown', text, {
      body,
    });
  return new ApiError(status, 'invalid', '', {
    fields: status === 400 ? messagesOf(body) : undefined,
    body,
  });
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

/** Returns the address of the sign-in page, with the current address as its return target. */
export function signInAddress(): string {
  const here = location.pathname + location.search;
  return /^\/ui\/(login\/?)?$/.test(here)
    ? SIGN_IN_PATH
    : `${SIGN_IN_PATH}?next=${encodeURIComponent(here)}`;
}

/**
 * Redirects a 401 of the profile to the sign-in page; any other asks first. Neither shows a toast
 * (conformance 8.1 and 8.2).
 */
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
  // On the sign-in page a 401 means a wrong password, not an expired session.
  if (response.status === 401 && !path.startsWith('/core/auth/')) tellSignedOut(path);
  else if (
    error.code === 'change_must_be_proposed' &&
    (await listener.mustPropose?.({ method, path, body: bodyIn(payload) }))
  )
    throw new ApiError(response.status, PROPOSED, error.detail);
  else if (!options.quiet) listener.failed(error);
  throw error;
}

const bodyIn = (payload: Payload | undefined): unknown =>
  payload?.type === 'application/json' ? JSON.parse(String(payload.content)) : payload?.content;

/** The API client. Failed calls throw {@link ApiError} after a toast, unless `quiet`. */
export const api = {
  get: <T>(path: string, options: RequestOptions = {}) =>
    request<T>('GET', path, undefined, options),
  post: <T>(path: string, body: unknown = {}, options: RequestOptions = {}) =>
    request<T>('POST', path, asJson(body), options),
  put: <T>(path: string, body: unknown, options: RequestOptions = {}) =>
    request<T>('PUT', path, asJson(body), options),
  patch: <T>(path: string, body: unknown = {}, options: RequestOptions = {}) =>
    request<T>('PATCH', path, asJson(body), options),
  /** Sends a raw body, such as a file. */
  send: <T>(method: 'POST' | 'PUT', path: string, payload: Payload, options: RequestOptions = {}) =>
    request<T>(method, path, payload, options),
  delete: <T = void>(path: string, options: RequestOptions = {}) =>
    request<T>('DELETE', path, undefined, options),
  options: <T>(path: string, options: RequestOptions = {}) =>
    request<T>('OPTIONS', path, undefined, options),
};
