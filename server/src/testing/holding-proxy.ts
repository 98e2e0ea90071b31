import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy before a service that speaks HTTP, which keeps chosen requests without an answer. */
export interface HoldingProxy {
  readonly endpoint: string;
  /** Keeps the next request that matches, and all after it; resolves when it has come. */
  hold(matches: (request: Pick<IncomingMessage, 'method' | 'url'>) => boolean): Promise<void>;
  /** Passes everything on again. */
  release(): void;
  stop(): Promise<void>;
}

/** Starts one on a free port of loopback. */
export async function startHoldingProxy(target: string): Promise<HoldingProxy> {
  let wanted: ((request: IncomingMessage) => boolean) | undefined;
  let isHolding = false;
  let arrived = () => {};
  const server = createServer((request, response) => {
    if (!isHolding && wanted?.(request)) {
      isHolding = true;
      arrived();
    }
    // What it keeps is read, as by a service that dies before its answer.
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
        wanted = matches;
        arrived = resolve;
      }),
    release: () => {
      wanted = undefined;
      isHolding = false;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
