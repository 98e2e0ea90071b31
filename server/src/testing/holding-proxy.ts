import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An HTTP proxy that withholds the answers to chosen requests. */
export interface HoldingProxy {
  readonly endpoint: string;
  /** Holds the next matching request and all later ones; resolves when it arrives. */
  hold(matches: (request: Pick<IncomingMessage, 'method' | 'url'>) => boolean): Promise<void>;
  /** Answers matching requests with a refusal of S3, for the reason in `message`. */
  refuse(
    matches: (request: Pick<IncomingMessage, 'method' | 'url'>) => boolean,
    message?: string,
  ): void;
  /** Forwards requests again. */
  release(): void;
  stop(): Promise<void>;
}

/** Starts a proxy on a free loopback port. */
export async function startHoldingProxy(target: string): Promise<HoldingProxy> {
  let matcher: ((request: IncomingMessage) => boolean) | undefined;
  let isHolding = false;
  let isRefused: typeof matcher;
  let refusal = '';
  let arrived = () => {};
  const server = createServer((request, response) => {
    if (!isHolding && matcher?.(request)) {
      isHolding = true;
      arrived();
    }
    if (isRefused?.(request)) {
      request.resume();
      response.writeHead(403, { 'content-type': 'application/xml' });
      response.end(`<Error><Code>AccessDenied</Code><Message>${refusal}</Message></Error>`);
      return;
    }
    // Read the held request, like a service that dies before it answers.
    if (isHolding) {
      request.resume();
      return;
    }
    const { expect: _expect, ...headers } = request.headers;
    const passed = httpRequest(
      new URL(request.url ?? '/', target),
      { method: request.method ?? 'GET', headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    passed.on('error', () => response.destroy());
    request.pipe(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold: (matches) =>
      new Promise((resolve) => {
        matcher = matches;
        arrived = resolve;
      }),
    refuse: (matches, message = 'not allowed') => {
      isRefused = matches;
      refusal = message;
    },
    release: () => {
      isRefused = undefined;
      matcher = undefined;
      isHolding = false;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
