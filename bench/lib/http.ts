import { Agent, request } from 'node:http';

/** A signed-in client on one connection that stays open. */
export interface Client {
  readonly token: string;
  /** The answer of a GET and how long it took, from sending to the last byte. @throws Error for another status than 200 (or those given) */
  timed(path: string, status?: number | readonly number[]): Promise<{ milliseconds: number; text: string }>;
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body: unknown): Promise<T>;
  close(): void;
}

/** Signs in and keeps the connection. Paths are below `/api/v1/`. */
export async function signIn(base: string, username: string, password: string): Promise<Client> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = (method: string, path: string, token: string, body?: unknown): Promise<{ status: number; text: string }> =>
    new Promise((done, fail) => {
      const sent = request(
        `${base}/api/v1/${path}`,
        {
          method,
          agent,
          headers: {
            'accept-language': 'en',
            ...(token && { authorization: `Bearer ${token}` }),
            ...(body !== undefined && { 'content-type': 'application/json' }),
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.once('error', fail);
          response.once('end', () => done({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }));
        },
      );
      sent.once('error', fail);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  const expect = <T>(what: string, { status, text }: { status: number; text: string }): T => {
    if (status < 200 || status > 299) throw new Error(`${what} answered ${status}: ${text.slice(0, 300)}`);
    return JSON.parse(text) as T;
  };
  const { token } = expect<{ token: string }>('signing in', await ask('POST', 'authentication/auth/', '', { username, password }));
  return {
    token,
    async timed(path, status = 200) {
      const wanted = typeof status === 'number' ? [status] : status;
      const began = performance.now();
      const answer = await ask('GET', path, token);
      const milliseconds = performance.now() - began;
      if (!wanted.includes(answer.status)) throw new Error(`${path} answered ${answer.status}: ${answer.text.slice(0, 300)}`);
      return { milliseconds, text: answer.text };
    },
    get: async <T>(path: string) => expect<T>(path, await ask('GET', path, token)),
    post: async <T>(path: string, body: unknown) => expect<T>(path, await ask('POST', path, token, body)),
    close: () => agent.destroy(),
  };
}
