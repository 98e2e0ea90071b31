import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

type Document = Readonly<Record<string, unknown>>;

/**
 * A test double of Elasticsearch and OpenSearch, which the test machines do not have. It knows our
 * requests, by the documentation of both, and rejects others with 400. A search finds a document
 * only after a refresh; its id finds it at once.
 */
export interface ElasticServer {
  readonly url: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  /** Documents by index and id. */
  readonly indexes: ReadonlyMap<string, ReadonlyMap<string, Document>>;
  /** Changes a document like another tool would. */
  change(index: string, id: string, document: Document): void;
  /** Statuses of the next answers. */
  readonly failures: number[];
  /** Ids of documents that the bulk interface rejects. */
  readonly refused: Set<string>;
  /** Received requests, such as `POST /commands/_bulk`. */
  readonly requests: string[];
  stop(): Promise<void>;
}

export interface ElasticServerOptions {
  readonly product?: 'elasticsearch' | 'opensearch';
  readonly version?: string;
  readonly port?: number;
  /** Serves TLS with this key and certificate. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Fields of existing indexes. */
  readonly existing?: Readonly<Record<string, Readonly<Record<string, { readonly type: string }>>>>;
}

interface Index {
  readonly fields: Map<string, string>;
  readonly documents: Map<string, Document>;
  readonly visible: Map<string, Document>;
}

class Refused extends Error {
  readonly status: number;
  readonly type: string;
  constructor(status: number, type: string) {
    super(type);
    this.status = status;
    this.type = type;
  }
}

const USERNAME = 'bastion';
const PASSWORD = 'elastic-secret-1';

/** Starts on a free port, or on the port of a stopped server. */
export async function startElastic({
  product = 'elasticsearch',
  version = '8.15.0',
  port = 0,
  tls,
  existing = {},
}: ElasticServerOptions = {}): Promise<ElasticServer> {
  const indexes = new Map<string, Index>();
  for (const [name, fields] of Object.entries(existing))
    indexes.set(name, {
      fields: new Map(Object.entries(fields).map(([field, { type }]) => [field, type])),
      documents: new Map(),
      visible: new Map(),
    });
  const failures: number[] = [];
  const requests: string[] = [];
  const refused = new Set<string>();

  const indexOf = (name: string): Index => {
    const index = indexes.get(name);
    if (!index) throw new Refused(404, 'index_not_found_exception');
    return index;
  };
  const refresh = (index: Index) => {
    index.visible.clear();
    for (const [id, document] of index.documents) index.visible.set(id, document);
  };
  const setFields = (
    index: Index,
    properties: Readonly<Record<string, { readonly type: string }>>,
  ) => {
    for (const [field, { type }] of Object.entries(properties)) {
      const known = index.fields.get(field);
      if (known !== undefined && known !== type)
        throw new Refused(400, 'illegal_argument_exception');
      index.fields.set(field, type);
    }
  };

  const answer = (method: string, url: URL, body: string): unknown => {
    const [, name = '', action = '', id = ''] = url.pathname.split('/').map(decodeURIComponent);
    const json = () => JSON.parse(body);
    if (method === 'GET' && name === '')
      return {
        version: {
          number: version,
          ...(product === 'opensearch' && { distribution: 'opensearch' }),
        },
        ...(product === 'elasticsearch' && { tagline: 'You Know, for Search' }),
      };
    switch (`${method} ${action}`) {
      case 'HEAD ':
        indexOf(name);
        return {};
      case 'PUT ': {
        if (indexes.has(name)) throw new Refused(400, 'resource_already_exists_exception');
        const index: Index = { fields: new Map(), documents: new Map(), visible: new Map() };
        setFields(index, json().mappings.properties);
        indexes.set(name, index);
        return { acknowledged: true };
      }
      case 'PUT _mapping':
        setFields(indexOf(name), json().properties);
        return { acknowledged: true };
      case 'POST _refresh':
        refresh(indexOf(name));
        return { _shards: { failed: 0 } };
      case 'POST _bulk': {
        const index = indexOf(name);
        if (!body.endsWith('\n')) throw new Refused(400, 'illegal_argument_exception');
        const lines = body.split('\n').slice(0, -1);
        const items = Array.from({ length: lines.length / 2 }, (_, at) => {
          const { _id } = JSON.parse(lines[at * 2] ?? '').index;
          if (refused.has(_id))
            return { index: { _id, status: 400, error: { type: 'mapper_parsing_exception' } } };
          const status = index.documents.has(_id) ? 200 : 201;
          index.documents.set(_id, JSON.parse(lines[at * 2 + 1] ?? ''));
          return { index: { _id, status } };
        });
        if (url.searchParams.get('refresh') === 'true') refresh(index);
        return { errors: items.some(({ index: { status } }) => status >= 300), items };
      }
      case 'POST _mget': {
        const { documents } = indexOf(name);
        return {
          docs: (json().ids as string[]).map((_id) => ({
            _id,
            found: documents.has(_id),
            ...(documents.has(_id) && { _source: documents.get(_id) }),
          })),
        };
      }
      case 'DELETE _doc':
        indexOf(name).documents.delete(id);
        refresh(indexOf(name));
        return { result: 'deleted' };
      case 'POST _search': {
        const { query, size, sort } = json();
        if (size > 10_000 || JSON.stringify(sort) !== '[{"date":"desc"}]')
          throw new Refused(400, 'illegal_argument_exception');
        const hits = [...indexOf(name).visible.entries()]
          .filter(([, document]) =>
            query.bool.filter.every((one: Document) => matches(one, document)),
          )
          .sort(([, one], [, other]) => String(other.date).localeCompare(String(one.date)))
          .slice(0, size)
          .map(([_id]) => ({ _id }));
        return { timed_out: false, _shards: { failed: 0 }, hits: { hits } };
      }
      case 'POST _delete_by_query': {
        const index = indexOf(name);
        const gone = [...index.visible].filter(([, document]) => matches(json().query, document));
        for (const [one] of gone) index.documents.delete(one);
        refresh(index);
        return { timed_out: false, deleted: gone.length, version_conflicts: 0, failures: [] };
      }
      default:
        throw new Refused(400, 'invalid_request');
    }
  };

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const send = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const body = await text(request);
    requests.push(`${request.method} ${request.url?.split('?')[0]}`);
    const failure = failures.shift();
    if (failure !== undefined)
      return send(failure, {
        error: { type: 'unavailable', reason: 'too much to do' },
        status: failure,
      });
    if (
      request.headers.authorization !==
      `Basic ${Buffer.from(`${USERNAME}:${PASSWORD}`).toString('base64')}`
    )
      return send(401, { error: { type: 'security_exception', reason: 'unable to authenticate' } });
    try {
      return send(
        200,
        answer(request.method ?? '', new URL(request.url ?? '', 'http://here'), body),
      );
    } catch (error) {
      if (error instanceof Refused) return send(error.status, { error: { type: error.type } });
      return send(400, { error: { type: 'parse_exception', reason: String(error) } });
    }
  };
  const server = tls ? createHttps(tls, serve) : createHttp(serve);
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening));
  const own = (server.address() as AddressInfo).port;
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${own}`,
    port: own,
    username: USERNAME,
    password: PASSWORD,
    get indexes() {
      return new Map([...indexes].map(([name, { documents }]) => [name, documents]));
    },
    change(name, id, document) {
      indexOf(name).documents.set(id, document);
      refresh(indexOf(name));
    },
    failures,
    refused,
    requests,
    stop: () =>
      new Promise((stopped) => {
        server.close(() => stopped());
        server.closeAllConnections();
      }),
  };
}

/** Matches our queries: term, terms, date range, and keyword wildcard. */
function matches(query: Document, document: Document): boolean {
  const [[kind, clause] = ['', {}]] = Object.entries(query);
  const [[field, operand] = ['', undefined]] = Object.entries(clause as Record<string, unknown>);
  const value = document[field];
  if (kind === 'term') return value === operand;
  if (kind === 'terms') return (operand as unknown[]).includes(value);
  if (kind === 'range') {
    const { gte = '', lte = '\uffff' } = operand as { gte?: string; lte?: string };
    return String(value) >= gte && String(value) <= lte;
  }
  if (kind === 'wildcard') {
    const { value: pattern } = operand as { value: string };
    const expression = [...pattern.matchAll(/\\(.)|([*?])|([^\\*?]+)/gsu)].map(
      ([, escaped, wild, plain]) =>
        wild === '*'
          ? '.*'
          : wild === '?'
            ? '.'
            : (escaped ?? plain ?? '').replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'),
    );
    return new RegExp(`^${expression.join('')}$`, 'su').test(String(value));
  }
  throw new Refused(400, 'parsing_exception');
}
