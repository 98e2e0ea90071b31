import { Agent, request } from 'node:http';

/** A signed-in client on one connection that stays open. */
export interface Client {
  readonly token: string;
  /**
   * The answer of a GET and how long it took, from sending to the last byte. @throws Error for
   * another status than 200 (or those given)
   */
  timed(
    path: string,
    status?: number | readonly number[],
  ): Promise<{ milliseconds: number; text: string }>;
  get<T>(path: string): Promise<T>;
  patch<T>(path: string, body: unknown): Promise<T>;
  post<T>(path: string, body: unknown): Promise<T>;
  put<T>(path: string, body: unknown): Promise<T>;
  delete(path: string): Promise<void>;
  close(): void;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/**
 * Signs in and keeps the connection, by default in the default organization. Paths are below
 * `/api/v1/`.
 */
export async function signIn(
  base: string,
  username: string,
  password: string,
  organization = '',
): Promise<Client> {
  const token = async (ask: Ask, expect: Expect) =>
    expect<{ token: string }>(
      'signing in',
      await ask('POST', 'authentication/auth/', '', { username, password }),
    ).token;
  return clientOf(base, token, organization);
}

/** A client that was signed in before. */
export function signedIn(base: string, token: string): Promise<Client> {
  return clientOf(base, async () => token);
}

type Ask = (method: string, path: string, token: string, body?: unknown) => Promise<Answer>;
type Expect = <T>(what: string, answer: Answer) => T;

async function clientOf(
  base: string,
  tokenBy: (ask: Ask, expect: Expect) => Promise<string>,
  organization = '',
): Promise<Client> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask: Ask = (method, path, token, body) =>
    new Promise((done, fail) => {
      const sent = request(
        `${base}/api/v1/${path}`,
        {
          method,
          agent,
          headers: {
            'accept-language': 'en',
            ...(token && { authorization: `Bearer ${token}` }),
            ...(organization && { 'x-jms-org': organization }),
            ...(body !== undefined && { 'content-type': 'application/json' }),
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.once('error', fail);
          response.once('end', () =>
            done({
              status: response.statusCode ?? 0,
              text: Buffer.concat(chunks).toString('utf8'),
            }),
          );
        },
      );
      sent.once('error', fail);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  const expect: Expect = <T>(what: string, { status, text }: Answer): T => {
    if (status < 200 || status > 299)
      throw new Error(`${what} answered ${status}: ${text.slice(0, 300)}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  };
  const token = await tokenBy(ask, expect);
  return {
    token,
    async timed(path, status = 200) {
      const expected = typeof status === 'number' ? [status] : status;
      const began = performance.now();
      const answer = await ask('GET', path, token);
      const milliseconds = performance.now() - began;
      if (!expected.includes(answer.status))
        throw new Error(`${path} answered ${answer.status}: ${answer.text.slice(0, 300)}`);
      return { milliseconds, text: answer.text };
    },
    get: async <T>(path: string) => expect<T>(path, await ask('GET', path, token)),
    patch: async <T>(path: string, body: unknown) =>
      expect<T>(path, await ask('PATCH', path, token, body)),
    post: async <T>(path: string, body: unknown) =>
      expect<T>(path, await ask('POST', path, token, body)),
    put: async <T>(path: string, body: unknown) =>
      expect<T>(path, await ask('PUT', path, token, body)),
    delete: async (path) => expect<void>(path, await ask('DELETE', path, token)),
    close: () => agent.destroy(),
  };
}
