import { HTTP_TIMEOUT } from '@sallyport/contract';
import { COOKIES, readCookie } from './cookies.ts';
import { common, t } from './i18n/index.ts';
import { rememberedOrganization } from './organization.ts';

export const SIGN_IN_PATH = '/core/auth/login/';
const PROFILE = 'users/profile/';
const LONG_TIMEOUT_NAME = 'TimeoutError';

/** A refusal or failure of a request, ready to be shown: `message` is one sentence in the language of the page. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The HTTP status; 0 when there was no answer at all. */
  readonly status: number;
  readonly code: string;
  /** The server's own sentence; empty when it sent none. */
  readonly detail: string;
  readonly fields: Readonly<Record<string, readonly string[]>> | undefined;

  constructor(status: number, code: string, detail: string, fields?: Readonly<Record<string, readonly string[]>>) {
    super(detail || (status === 0 ? t(common.notReached) : status === 400 ? t(common.badRequest) : t(common.failed, { status })));
    this.status = status;
    this.code = code;
    this.detail = detail;
    this.fields = fields;
  }
}

export type QueryValue = string | number | boolean | null | undefined | readonly (string | number)[];
export type Query = Readonly<Record<string, QueryValue>>;

export interface RequestOptions {
  readonly query?: Query;
  readonly signal?: AbortSignal;
  /** No toast when it fails: the caller shows the failure itself. */
  readonly quiet?: boolean;
}

/** What happens to the person when a request fails; the pages set it once (see AppProviders). */
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

function headersOf(hasBody: boolean): Headers {
  const headers = new Headers({ Accept: 'application/json', 'X-TZ': Intl.DateTimeFormat().resolvedOptions().timeZone });
  const token = readCookie(COOKIES.csrf);
  const organization = rememberedOrganization();
  if (token) headers.set('X-CSRFToken', token);
  if (organization?.id) headers.set('X-JMS-ORG', organization.id);
  if (hasBody) headers.set('Content-Type', 'application/json');
  return headers;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every((item) => typeof item === 'string');

/** Reads the body of a refusal: `{code, detail}`, or each field's sentences. */
export function errorOf(status: number, body: unknown): ApiError {
  if (!isRecord(body)) return new ApiError(status, 'unknown', '');
  const text = [body.detail, body.error, body.msg].find((value) => typeof value === 'string');
  if (typeof text === 'string') return new ApiError(status, typeof body.code === 'string' ? body.code : 'unknown', text);
  const fields = Object.fromEntries(Object.entries(body).filter((entry): entry is [string, string[]] => isTexts(entry[1])));
  return new ApiError(status, 'invalid', '', status === 400 ? fields : undefined);
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
  return here === '/ui/' ? SIGN_IN_PATH : `${SIGN_IN_PATH}?next=${encodeURIComponent(here)}`;
}

/** Specification §8: a 401 of the profile leads to the sign-in page, any other asks first; neither is a toast. */
function tellSignedOut(path: string): void {
  if (path.includes(PROFILE)) location.assign(signInAddress());
  else listener.signedOut();
}

async function request<T>(method: string, path: string, body: unknown, options: RequestOptions): Promise<T> {
  const timeout = AbortSignal.timeout(HTTP_TIMEOUT);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  let response: Response;
  let content: unknown;
  try {
    response = await fetch(addressOf(path, options.query), {
      method,
      headers: headersOf(body !== undefined),
      credentials: 'same-origin',
      signal,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    content = await readBody(response);
  } catch (cause) {
    if (options.signal?.aborted) throw cause;
    const error = new ApiError(0, cause instanceof DOMException && cause.name === LONG_TIMEOUT_NAME ? 'timeout' : 'unreachable', '');
    if (!options.quiet) listener.failed(error);
    throw error;
  }
  if (response.ok) return content as T;
  const error = errorOf(response.status, content);
  // At the sign-in door a 401 is the answer to a wrong password, not the end of a session.
  if (response.status === 401 && !path.startsWith('/core/auth/')) tellSignedOut(path);
  else if (!options.quiet) listener.failed(error);
  throw error;
}

/** The one door to the server. Every call throws {@link ApiError} when it fails, after the person was told unless `quiet`. */
export const api = {
  get: <T>(path: string, options: RequestOptions = {}) => request<T>('GET', path, undefined, options),
  post: <T>(path: string, body: unknown = {}, options: RequestOptions = {}) => request<T>('POST', path, body, options),
  put: <T>(path: string, body: unknown, options: RequestOptions = {}) => request<T>('PUT', path, body, options),
  patch: <T>(path: string, body: unknown = {}, options: RequestOptions = {}) => request<T>('PATCH', path, body, options),
  delete: <T = void>(path: string, options: RequestOptions = {}) => request<T>('DELETE', path, undefined, options),
  options: <T>(path: string, options: RequestOptions = {}) => request<T>('OPTIONS', path, undefined, options),
};
