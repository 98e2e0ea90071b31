import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Config, StartError } from '../../config.ts';
import type { Logger } from '../../platform/log.ts';
import {
  type Family,
  OPEN_METRICS_TYPE,
  openMetrics,
  prometheusText,
  TEXT_TYPE,
} from '../../platform/metrics/open-metrics.ts';
import { assertPrivateFile } from '../../platform/private-file.ts';

export interface MetricsListener {
  readonly port: number;
  /** Rejects new connections, and waits for the answers of the open ones. */
  handOver(): Promise<void>;
  stop(): Promise<void>;
}

export interface MetricsListenerOptions {
  readonly host: string;
  readonly port: number;
  /** The token that callers must send. */
  readonly token: string;
  readonly families: () => Promise<readonly Family[]>;
  readonly log: Logger;
}

const LEAST_TOKEN = 16;
const MOST_CONNECTIONS = 32;
const TIMEOUT_MILLISECONDS = 10_000;
const EXAMPLE = "SALLYPORT_METRICS_TOKEN_FILE='/etc/sallyport/metrics.token'";

/**
 * Returns the configured token.
 * @throws StartError if it is missing or has fewer than 16 characters, or if other accounts can
 * read its file
 */
export function readToken({
  metricsToken,
  metricsTokenFile,
}: Pick<Config, 'metricsToken' | 'metricsTokenFile'>): string {
  if (metricsToken !== undefined) return metricsToken;
  if (metricsTokenFile === undefined)
    throw new StartError(
      `SALLYPORT_METRICS_PORT needs a token: nobody else may read the metrics. Make one with openssl rand -hex 32, and name its file: ${EXAMPLE}`,
    );
  let text: string;
  try {
    text = readFileSync(metricsTokenFile, 'utf8').trim();
  } catch (error) {
    throw new StartError(
      `SALLYPORT_METRICS_TOKEN_FILE cannot be read: ${(error as NodeJS.ErrnoException).code}. Example: ${EXAMPLE}`,
    );
  }
  assertPrivateFile(metricsTokenFile);
  if (text.length < LEAST_TOKEN)
    throw new StartError(
      `${metricsTokenFile} holds fewer than ${LEAST_TOKEN} characters. Make a token with: openssl rand -hex 32`,
    );
  return text;
}

/**
 * Answers `GET /metrics` for callers with the token only.
 * @throws StartError if the port cannot be used
 */
export async function startMetricsListener({
  host,
  port,
  token,
  families,
  log,
}: MetricsListenerOptions): Promise<MetricsListener> {
  const digestOf = (text: string) => createHash('sha256').update(text).digest();
  const expected = digestOf(token);
  const isKnown = ({ headers: { authorization = '' } }: IncomingMessage) => {
    const [, presented = ''] = /^Bearer +(.+)$/i.exec(authorization) ?? [];
    // Digests have equal length, as the comparison requires.
    return timingSafeEqual(digestOf(presented), expected);
  };
  let pendingRead: Promise<readonly Family[]> | undefined;
  /** Concurrent callers share one read of the database. */
  const read = () => {
    pendingRead ??= families().finally(() => {
      pendingRead = undefined;
    });
    return pendingRead;
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const refuse = (status: number, more: Record<string, string> = {}) =>
      response.writeHead(status, { 'content-length': '0', connection: 'close', ...more }).end();
    if (!isKnown(request))
      return void refuse(401, { 'www-authenticate': 'Bearer realm="metrics"' });
    if (request.url?.split('?')[0] !== '/metrics') return void refuse(404);
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return void refuse(405, { allow: 'GET, HEAD' });
    const isOpenMetrics = (request.headers.accept ?? '').includes('application/openmetrics-text');
    const all = await read();
    const body = isOpenMetrics ? openMetrics(all) : prometheusText(all);
    response.writeHead(200, {
      'content-type': isOpenMetrics ? OPEN_METRICS_TYPE : TEXT_TYPE,
      vary: 'accept',
      'content-length': String(Buffer.byteLength(body)),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  };
  const server = createServer((request, response) => {
    // Discards the body.
    request.resume();
    answer(request, response).catch((error: unknown) => {
      log.error(
        { error: error instanceof Error ? error.stack : String(error) },
        'the metrics could not be read',
      );
      if (!response.headersSent)
        response.writeHead(500, { 'content-length': '0', connection: 'close' });
      response.end();
    });
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.headersTimeout = TIMEOUT_MILLISECONDS;
  server.requestTimeout = TIMEOUT_MILLISECONDS;
  server.keepAliveTimeout = TIMEOUT_MILLISECONDS;
  server.listen({ host, port });
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new StartError(
        `SALLYPORT_METRICS_PORT: port ${port} is in use. Choose another: SALLYPORT_METRICS_PORT='${port + 1}'`,
      );
    throw new StartError(
      `SALLYPORT_METRICS_HOST: ${host}:${port} cannot be used (${code}). Example: SALLYPORT_METRICS_HOST='127.0.0.1'`,
    );
  }
  const close = () => new Promise<void>((settle) => server.close(() => settle()));
  return {
    port: (server.address() as AddressInfo).port,
    handOver: close,
    stop() {
      server.closeAllConnections();
      return close();
    },
  };
}
