import { vi } from 'vitest';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}

interface Said {
  readonly status?: number;
  readonly body?: unknown;
}

type Answer = (request: SeenRequest) => Said | Promise<Said>;

/** An in-memory server that replaces only `fetch`; components and hooks run unchanged. */
export class MemoryServer {
  readonly requests: SeenRequest[] = [];
  readonly #answers = new Map<string, Answer>();

  constructor() {
    vi.stubGlobal('fetch', (address: string | URL | Request, options: RequestInit = {}) =>
      this.#answer(String(address), options),
    );
  }

  /** Sets the answer of an endpoint below `/api/v1/`. */
  on(method: string, path: string, answer: Answer): this {
    this.#answers.set(`${method} ${path}`, answer);
    return this;
  }

  /** Request bodies received by an endpoint, in order. */
  bodies(method: string, path: string): unknown[] {
    return this.requests
      .filter((request) => request.method === method && request.path === path)
      .map(({ body }) => body);
  }

  async #answer(address: string, { method = 'GET', body }: RequestInit): Promise<Response> {
    const { pathname, searchParams } = new URL(address, 'http://localhost');
    const path = pathname.replace('/api/v1/', '');
    const request = {
      method,
      path,
      query: Object.fromEntries(searchParams),
      body: typeof body === 'string' && body.startsWith('{') ? JSON.parse(body) : body,
    };
    this.requests.push(request);
    const answer = (await this.#answers.get(`${method} ${path}`)?.(request)) ?? {
      status: 404,
      body: { code: 'not_found', detail: `${method} ${path}` },
    };
    return new Response(answer.body === undefined ? null : JSON.stringify(answer.body), {
      status: answer.status ?? 200,
      headers: { 'content-type': 'application/json' },
    });
  }
}
