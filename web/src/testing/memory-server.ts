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

/** A server in memory, at the border of the network: components and hooks run as they are, and only `fetch` is replaced. */
export class MemoryServer {
  readonly requests: SeenRequest[] = [];
  readonly #answers = new Map<string, Answer>();

  constructor() {
    vi.stubGlobal('fetch', (address: string | URL | Request, options: RequestInit = {}) =>
      this.#answer(String(address), options),
    );
  }

  /** Says how an endpoint below `/api/v1/` answers. */
  on(method: string, path: string, answer: Answer): this {
    this.#answers.set(`${method} ${path}`, answer);
    return this;
  }

  /** The bodies that were sent to an endpoint, in their order. */
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
