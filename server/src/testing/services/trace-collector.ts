import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Written {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly status: { readonly code?: number; readonly message?: string };
  readonly attributes: { key: string; value: { stringValue?: string; intValue?: string } }[];
}

/** A collector; while it is silent, it answers no request. */
export async function startCollector() {
  const bodies: string[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const state = { isSilent: false };
  const server = createServer(async (request, response) => {
    headers.push(request.headers);
    bodies.push(Buffer.concat(await request.toArray()).toString());
    if (!state.isSilent) response.end('{}');
  });
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    bodies,
    headers,
    state,
    spans: (): Written[] =>
      bodies.flatMap((body) => JSON.parse(body).resourceSpans[0].scopeSpans[0].spans),
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Returns the value of an attribute of a span. */
export const attributeOf = ({ attributes }: Written, name: string) => {
  const value = attributes.find(({ key }) => key === name)?.value;
  return value?.stringValue ?? value?.intValue;
};
