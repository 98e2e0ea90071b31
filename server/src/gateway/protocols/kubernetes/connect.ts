import type { IncomingMessage } from 'node:http';
import { Refusal } from '../../refusal.ts';
import type { Connection, Route } from '../connector.ts';
import { type ClusterApi, createClusterApi } from './cluster-api.ts';

/** Bytes of an answer that the bastion itself reads. */
const MAX_ANSWER = 64 * 1024;
const UNAUTHORIZED = 401;

/** Reads a small JSON answer; undefined if it is no object or too long. */
export async function readSmallJson(
  answer: IncomingMessage,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER) return undefined;
    chunks.push(chunk);
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** A connection to an API server. */
export interface ClusterConnection extends Connection {
  readonly api: ClusterApi;
  /** Version of the API server, such as `v1.36.3`. */
  readonly version: string;
}

/** Returns true for a connection to an API server. */
export const isClusterConnection = (connection: Connection): connection is ClusterConnection =>
  'api' in connection;

/** Connects to an API server, and asks for its version as the account of the bastion. */
export async function connectKubernetes(
  route: Route,
  signal: AbortSignal,
): Promise<ClusterConnection> {
  const api = createClusterApi(route);
  const host = `${route.target.host}:${route.target.port}`;
  const within = AbortSignal.any([signal, AbortSignal.timeout(route.timeoutMs)]);
  try {
    route.onStage('authenticating', route.target.name);
    const answer = await api.request(
      { method: 'GET', path: '/version', headers: { accept: 'application/json' } },
      within,
    );
    if (answer.statusCode === UNAUTHORIZED) {
      answer.resume();
      throw new Refusal('connect_cluster_account', { host, account: route.cluster?.account ?? '' });
    }
    const { gitVersion } = (await readSmallJson(answer)) ?? {};
    if (typeof gitVersion !== 'string') throw new Refusal('connect_cluster_answer', { host });
    return { api, version: gitVersion.slice(0, 64), close: () => api.close() };
  } catch (error) {
    api.close();
    signal.throwIfAborted();
    throw within.aborted ? new Refusal('connect_timeout', { host }) : error;
  }
}
