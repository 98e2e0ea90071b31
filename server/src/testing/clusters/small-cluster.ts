import { once } from 'node:events';
import { mkdtemp, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { Json } from '../../features/clusters/kube-body.ts';
import { type KubeRequest, parseKubeRequest } from '../../features/clusters/kube-request.ts';
import { hasKnownProtocol } from '../../gateway/protocols/kubernetes/accept-channels.ts';
import { makeCertificates } from '../certificates.ts';
import { removeFolder } from '../remove-folder.ts';
import { serveCommand } from './cluster-commands.ts';
import { discovery, RESOURCES } from './cluster-discovery.ts';
import {
  ApiProblem,
  ClusterObjects,
  type KubeObject,
  type ObjectPlace,
} from './cluster-objects.ts';
import { pageOf, tableOf } from './cluster-tables.ts';

export const CLUSTER_TOKEN = 'token-of-the-bastion';

/** A request that a small cluster received. */
export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly user: string;
  readonly groups: readonly string[];
  readonly headers: IncomingMessage['headers'];
  readonly upgrade: string | undefined;
}

export interface SmallClusterOptions {
  /** Roles: true if a user may send this request. All by default. */
  readonly allows?: (user: string, request: KubeRequest) => boolean;
  /** True to refuse WebSocket, as servers before 1.29 and some load balancers. */
  readonly refusesWebSocket?: boolean;
  /** Requests whose answers break off. None by default. */
  readonly breaksOff?: (request: KubeRequest) => boolean;
}

/** A small API server of the documented API, on loopback, by HTTPS. */
export interface SmallCluster {
  readonly port: number;
  /** Authority of its certificate, in PEM. */
  readonly authority: string;
  /** Folder in which commands of its pods run. */
  readonly folder: string;
  readonly objects: ClusterObjects;
  readonly requests: readonly ReceivedRequest[];
  /** Returns the number of open connections. */
  connections(): number;
  /** Returns the number of logs that clients follow. */
  followers(): number;
  /** Adds text to the log of each pod. */
  appendLog(text: string): void;
  stop(): Promise<void>;
}

const statusOf = ({ code, reason, message }: ApiProblem): object => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message,
  reason,
  code,
});

async function readJson(request: IncomingMessage): Promise<Json> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  return text === '' ? {} : (JSON.parse(text) as Json);
}

/** Starts a small cluster. Objects of any kind can be created in it. */
export async function startSmallCluster(options: SmallClusterOptions = {}): Promise<SmallCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-cluster-'));
  const files = await makeCertificates(folder);
  const objects = new ClusterObjects();
  const requests: ReceivedRequest[] = [];
  const followers = new Set<(text: string) => void>();
  let log = '';

  /** Returns the meaning of a request whose user may send it. @throws ApiProblem */
  function authorize(request: IncomingMessage): KubeRequest {
    const { method = '', url = '', headers } = request;
    if (headers.authorization !== `Bearer ${CLUSTER_TOKEN}`)
      throw new ApiProblem(401, 'Unauthorized', 'Unauthorized');
    const user = String(headers['impersonate-user'] ?? 'bastion');
    const groups = String(headers['impersonate-group'] ?? '')
      .split(', ')
      .filter(Boolean);
    requests.push({ method, url, user, groups, headers, upgrade: headers.upgrade });
    const meaning = parseKubeRequest(method, url, headers.upgrade);
    if (options.allows?.(user, meaning) === false)
      throw new ApiProblem(
        403,
        'Forbidden',
        `User "${user}" cannot ${meaning.verb} ${meaning.resource}`,
      );
    return meaning;
  }

  async function change(request: IncomingMessage, place: ObjectPlace, meaning: KubeRequest) {
    const { verb, name } = meaning;
    const body = await readJson(request);
    if (verb === 'create') return objects.create(place, body as KubeObject);
    if (verb === 'update') return objects.update(place, name, body as KubeObject);
    if (verb === 'patch') return objects.patch(place, name, body);
    return verb === 'delete' ? objects.delete(place, name) : objects.get(place, name);
  }

  /** Adds kind and version, which stored objects may lack. */
  const typed = ({ group, resource }: KubeRequest, object: KubeObject): object => ({
    apiVersion: group ? `${group}/v1` : 'v1',
    kind: RESOURCES[group]?.find(([name]) => name === resource)?.[1] ?? 'Object',
    ...object,
  });

  function follow(meaning: KubeRequest, place: ObjectPlace, response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    const send = (type: string, object: KubeObject) =>
      response.write(`${JSON.stringify({ type, object: typed(meaning, object) })}\n`);
    for (const object of objects.list(place)) send('ADDED', object);
    response.once('close', objects.watch(place, send));
  }

  function sendLog(isFollowed: boolean, response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.write(log);
    if (!isFollowed) {
      response.end();
      return;
    }
    const send = (text: string) => response.write(text);
    followers.add(send);
    response.once('close', () => followers.delete(send));
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const meaning = authorize(request);
    if (options.breaksOff?.(meaning)) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"items":', () => response.destroy());
      return;
    }
    const { nonResource, resource, subresource, verb, group, namespace, isOpen } = meaning;
    const answer = (code: number, body: object) => {
      response.writeHead(code, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    if (nonResource !== undefined) {
      const document = discovery(nonResource.replace(/(.)\/$/, '$1'));
      if (!document) throw new ApiProblem(404, 'NotFound', 'not found');
      answer(200, document);
      return;
    }
    const place = { group, resource, namespace: resource === 'namespaces' ? '' : namespace };
    if (isOpen)
      answer(201, { ...((await readJson(request)) as object), status: { allowed: true } });
    else if (subresource === 'log') {
      objects.get({ group: '', resource: 'pods', namespace }, meaning.name);
      if (meaning.query.get('previous') === 'true') response.end('before the restart\n');
      else sendLog(meaning.isStream, response);
    } else if (subresource === 'proxy') answer(200, { path: request.url });
    else if (verb === 'watch') follow(meaning, place, response);
    else if (verb === 'list') {
      const { items, next } = pageOf(objects.list(place), meaning.query);
      const metadata = {
        resourceVersion: objects.listVersion,
        ...(next !== undefined && { continue: next }),
      };
      if (String(request.headers.accept).includes('as=Table'))
        answer(200, tableOf(meaning, items, metadata));
      else
        answer(200, {
          kind: `${RESOURCES[group]?.find(([name]) => name === resource)?.[1] ?? 'Object'}List`,
          apiVersion: group ? `${group}/v1` : 'v1',
          metadata,
          items,
        });
    } else {
      const changed = await change(request, place, meaning);
      answer(verb === 'create' ? 201 : 200, typed(meaning, changed));
    }
  }

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const meaning = authorize(request);
    objects.get({ group: '', resource: 'pods', namespace: meaning.namespace }, meaning.name);
    if (options.refusesWebSocket && meaning.upgrade === 'websocket')
      throw new ApiProblem(400, 'BadRequest', 'Upgrade request required');
    if (meaning.subresource === 'exec' || meaning.subresource === 'attach') {
      if (!hasKnownProtocol(request))
        throw new ApiProblem(400, 'BadRequest', 'unable to negotiate a protocol');
      await serveCommand({ request, query: meaning.query, socket, head, folder });
      return;
    }
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${request.headers.upgrade}\r\n\r\n`,
    );
    // The ports of a small cluster give back what they receive.
    socket.write(head);
    socket.pipe(socket);
  }

  const problemOf = (error: unknown) =>
    error instanceof ApiProblem ? error : new ApiProblem(400, 'BadRequest', String(error));
  const server = createServer(
    { cert: await readFile(files.certificate), key: await readFile(files.key) },
    (request, response) => {
      serve(request, response).catch((error: unknown) => {
        const problem = problemOf(error);
        response.writeHead(problem.code, { 'content-type': 'application/json' });
        response.end(JSON.stringify(statusOf(problem)));
      });
    },
  );
  // Clients close idle connections themselves.
  server.keepAliveTimeout = 0;
  const sockets = new Set<Duplex>();
  server.on('secureConnection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    upgrade(request, socket, head).catch((error: unknown) => {
      const problem = problemOf(error);
      const body = JSON.stringify(statusOf(problem));
      const lines = [
        `HTTP/1.1 ${problem.code} ${problem.reason}`,
        'Content-Type: application/json',
        `Content-Length: ${Buffer.byteLength(body)}`,
        'Connection: close',
      ];
      socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    authority: await readFile(files.authority, 'utf8'),
    folder,
    objects,
    requests,
    connections: () => sockets.size,
    followers: () => followers.size,
    appendLog(text) {
      log += text;
      for (const send of followers) send(text);
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
      await removeFolder(folder);
    },
  };
}
