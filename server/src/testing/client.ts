import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** Time without a byte of the answer, after which the server is taken to hang. */
const SILENT_SECONDS = 60;

/** Keeps connections open, as browsers do. */
const connections = new Agent({ keepAlive: true });

export interface Answer<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed JSON body; undefined if empty. */
  readonly body: T;
}

export type Json = Record<string, unknown>;
export type Page<T = Json> = {
  readonly count: number;
  readonly next: string | null;
  readonly previous: string | null;
  readonly results: T[];
};

/** An HTTP client with fixed headers. Paths are below `/api/v1/` unless they start with a slash. */
export class Client {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    url: string,
    headers: Readonly<Record<string, string>> = { 'accept-language': 'en' },
  ) {
    this.url = url;
    this.headers = headers;
  }

  /** Returns a copy with additional headers. */
  with(headers: Readonly<Record<string, string>>): Client {
    return new Client(this.url, { ...this.headers, ...headers });
  }

  /** Returns a copy that names an organization. */
  inOrganization(id: string): Client {
    return this.with({ 'x-jms-org': id });
  }

  get<T = Json>(path: string): Promise<Answer<T>> {
    return this.request<T>('GET', path);
  }
  post<T = Json>(path: string, body?: unknown): Promise<Answer<T>> {
    return this.request<T>('POST', path, body);
  }
  put<T = Json>(path: string, body?: unknown): Promise<Answer<T>> {
    return this.request<T>('PUT', path, body);
  }
  patch<T = Json>(path: string, body?: unknown): Promise<Answer<T>> {
    return this.request<T>('PATCH', path, body);
  }
  delete<T = Json>(path: string): Promise<Answer<T>> {
    return this.request<T>('DELETE', path);
  }
  options<T = Json>(path: string): Promise<Answer<T>> {
    return this.request<T>('OPTIONS', path);
  }

  /** Sends a JSON body. */
  request<T = Json>(method: string, path: string, body?: unknown): Promise<Answer<T>> {
    return body === undefined
      ? this.send<T>(method, path)
      : this.send<T>(method, path, JSON.stringify(body), 'application/json');
  }

  /** Sends a form, with or without files. */
  sendForm<T = Json>(method: string, path: string, form: FormData): Promise<Answer<T>> {
    return this.send<T>(method, path, form);
  }

  /** Sends a body unchanged. */
  async send<T = Json>(
    method: string,
    path: string,
    body?: string | Uint8Array<ArrayBuffer> | FormData,
    type?: string,
  ): Promise<Answer<T>> {
    const sent = body instanceof FormData ? await encode(body) : { bytes: body, type };
    const response = await answerTo(
      new URL(path.startsWith('/') ? path : `/api/v1/${path}`, this.url),
      method,
      sent.bytes,
      {
        'user-agent': 'node',
        ...this.headers,
        ...(sent.type && { 'content-type': sent.type }),
        // Without it, Node.js sends a DELETE body without framing.
        ...(sent.bytes !== undefined && {
          'content-length': String(Buffer.byteLength(sent.bytes)),
        }),
      },
    );
    const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '');
    return {
      ...response,
      body: (isJson && response.text ? JSON.parse(response.text) : undefined) as T,
    };
  }
}

/** Encodes a form and returns its content type with the boundary. */
async function encode(form: FormData): Promise<{ bytes: Uint8Array; type: string }> {
  const encoded = new Response(form);
  return { bytes: await encoded.bytes(), type: encoded.headers.get('content-type') ?? '' };
}

/** Sends one request without following redirects. `fetch` needs three times the CPU. */
async function answerTo(
  url: URL,
  method: string,
  body: string | Uint8Array | undefined,
  headers: Readonly<Record<string, string>>,
): Promise<{ status: number; headers: Headers; text: string }> {
  const answer = Promise.withResolvers<IncomingMessage>();
  const sent = request(url, { method, headers, agent: connections }, answer.resolve);
  sent.setTimeout(SILENT_SECONDS * 1_000, () =>
    sent.destroy(new Error(`waited ${SILENT_SECONDS} s for ${method} ${url.pathname}`)),
  );
  sent.once('error', answer.reject).end(body);
  const message = await answer.promise;
  const received = new Headers();
  for (const [name, values] of Object.entries(message.headersDistinct))
    for (const value of values ?? []) received.append(name, value);
  return { status: message.statusCode ?? 0, headers: received, text: await text(message) };
}
