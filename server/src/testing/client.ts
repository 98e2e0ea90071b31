/** What the server answered. */
export interface Answer<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The JSON of the body; undefined when there is none. */
  readonly body: T;
}

export type Json = Record<string, unknown>;
export type Page<T = Json> = { readonly count: number; readonly next: string | null; readonly previous: string | null; readonly results: T[] };

/** A caller with headers of its own. Paths are below `/api/v1/` unless they begin with a slash. */
export class Client {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(url: string, headers: Readonly<Record<string, string>> = { 'accept-language': 'en' }) {
    this.url = url;
    this.headers = headers;
  }

  /** The same caller with further headers. */
  with(headers: Readonly<Record<string, string>>): Client {
    return new Client(this.url, { ...this.headers, ...headers });
  }

  /** The same caller, naming an organization. */
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

  /** A body that is a JSON value. */
  request<T = Json>(method: string, path: string, body?: unknown): Promise<Answer<T>> {
    return body === undefined ? this.send<T>(method, path) : this.send<T>(method, path, JSON.stringify(body), 'application/json');
  }

  /** A form, with files perhaps. */
  sendForm<T = Json>(method: string, path: string, form: FormData): Promise<Answer<T>> {
    return this.send<T>(method, path, form);
  }

  /** A body to the letter. */
  async send<T = Json>(method: string, path: string, body?: string | Uint8Array<ArrayBuffer> | FormData, type?: string): Promise<Answer<T>> {
    const response = await fetch(new URL(path.startsWith('/') ? path : `/api/v1/${path}`, this.url), {
      method,
      redirect: 'manual',
      headers: { ...this.headers, ...(type && { 'content-type': type }) },
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '');
    return { status: response.status, headers: response.headers, text, body: (isJson && text ? JSON.parse(text) : undefined) as T };
  }
}
