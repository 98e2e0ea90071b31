import { pipeline, Transform } from 'node:stream';
import {
  type BodyOf,
  CLUSTER_LOG_LINES,
  CLUSTER_PAGE_KINDS,
  type ClusterNamespaces,
  type ClusterObject,
  type ClusterObjects,
  type Fields,
  formatDatetime,
  Permission,
  parseBody,
} from '@sallyport/contract';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Context } from '../../../http/context.ts';
import { parameter, route } from '../../../http/route.ts';
import { fileOf, type Shape } from '../../../http/shapes.ts';
import { partOf, Work } from '../../../platform/db/work.ts';
import { Invalid } from '../../../platform/errors.ts';
import { Refusal } from '../../connections/index.ts';
import { isObject } from '../kube-body.ts';
import type { LiveSessions } from '../live-sessions.ts';
import { answered, type ClusterRouteOptions, TARGET_BODY, targetFor } from '../target-for.ts';
import type { LiveVisit } from './live-visit.ts';
import { readObjects, TABLE } from './object-table.ts';
import { objectYaml } from './object-yaml.ts';
import * as shapes from './page-shapes.ts';
import { podContainers } from './pod-containers.ts';
import { askAsPage, readAsPage, refusalOf } from './read-cluster.ts';
import { beginVisit, NAMESPACES_PLACE, visitAnswer, visitOf } from './visits.ts';

export interface PageRouteOptions extends ClusterRouteOptions {
  readonly sessions: LiveSessions;
}

const PATH = '/api/v1/perms/users/clusters/visits/';
const PAGE_SIZE = '100';
const NAMESPACE_PAGE = '500';

/** Reads the query by the fields that its route declares. @throws Invalid */
function readQuery<F extends Fields>({ query, zone }: Context, fields: F): BodyOf<F> {
  const { values, problems } = parseBody(fields, Object.fromEntries(query), 'create', { zone });
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
  return values as BodyOf<F>;
}

const groupOf = (kind: string): string =>
  CLUSTER_PAGE_KINDS.find(({ name }) => name === kind)?.group ?? '';

const unlike = ({ session }: LiveVisit): Refusal => {
  const { asset } = session.row.grant;
  return new Refusal('connect_cluster_answer', { host: `${asset.ip}:${asset.port}` });
};

/** Returns the namespaces of a cluster. */
async function namespaces(visit: LiveVisit, context: Context): Promise<ClusterNamespaces> {
  const wish = readQuery(context, shapes.NAMESPACES_QUERY);
  const query = {
    limit: NAMESPACE_PAGE,
    ...(wish.continue && { continue: wish.continue }),
  };
  const place = { ...NAMESPACES_PLACE, query };
  const list = readObjects(await readAsPage(visit, context, place, TABLE));
  if (!list) throw unlike(visit);
  return { names: list.rows.map(({ name }) => name), continue: list.continue };
}

/** Returns a page of the objects of one kind, as the API server prints them. */
async function objects(visit: LiveVisit, context: Context): Promise<ClusterObjects> {
  const wish = readQuery(context, shapes.OBJECTS_QUERY);
  const place = {
    group: groupOf(wish.kind),
    namespace: wish.namespace ?? '',
    resource: wish.kind,
    query: { limit: PAGE_SIZE, ...(wish.continue && { continue: wish.continue }) },
  };
  const list = readObjects(await readAsPage(visit, context, place, TABLE));
  if (!list) throw unlike(visit);
  return {
    ...list,
    rows: list.rows.map(({ created, ...row }) => ({
      ...row,
      date_created: created ? formatDatetime(created, context.zone) : '',
    })),
  };
}

/** Returns one object as YAML. */
async function object(visit: LiveVisit, context: Context): Promise<ClusterObject> {
  const { kind, namespace, name } = readQuery(context, shapes.OBJECT_QUERY);
  const place = { group: groupOf(kind), namespace, resource: kind, name };
  const value = await readAsPage(visit, context, place);
  if (!isObject(value)) throw unlike(visit);
  const isPod = kind === 'pods';
  const refused = (subresource: string, upgrade?: string) =>
    isPod ? refusalOf(visit, { ...place, subresource }, upgrade) : null;
  return {
    yaml: objectYaml(value, { isSecret: kind === 'secrets' }),
    containers: isPod ? podContainers(value) : [],
    no_log: refused('log'),
    no_terminal: refused('exec', 'websocket'),
  };
}

/** Streams the log of a container. A followed one ends with its session and its permission. */
async function log(visit: LiveVisit, context: Context): Promise<FastifyReply> {
  const { reply, request } = context;
  const wish = readQuery(context, shapes.LOG_QUERY);
  const { answer } = await askAsPage(
    visit,
    context,
    {
      group: '',
      namespace: wish.namespace,
      resource: 'pods',
      name: wish.pod,
      subresource: 'log',
      query: {
        container: wish.container,
        tailLines: wish.lines ?? String(CLUSTER_LOG_LINES[0]),
        ...(wish.previous && { previous: 'true' }),
        ...(wish.follow && { follow: 'true' }),
      },
    },
    '*/*',
  );
  if (wish.follow) request.raw.socket.setTimeout(0);
  const passing = new Transform({
    transform(chunk, _encoding, done) {
      visit.session.passed();
      done(null, chunk);
    },
  });
  pipeline(answer, passing, () => undefined);
  return reply
    .type('text/plain; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('x-content-type-options', 'nosniff')
    .header('content-security-policy', "sandbox; default-src 'none'")
    .send(passing);
}

/** Mounts the pages of clusters: what their users see is wish and decided like any request. */
export function mountPages(app: FastifyInstance, options: PageRouteOptions): void {
  route(app, {
    method: 'POST',
    url: PATH,
    access: Permission.USE,
    summary:
      'Connect a page to a cluster with a system user, for this sign-in. Continues an earlier visit.',
    body: TARGET_BODY,
    answer: shapes.VISIT,
    async handler(context) {
      const { actor, language, request, zone } = context;
      const { asset, systemUser } = await targetFor(options, context, 'WT');
      const person = { userId: actor.userId, loginId: actor.session.id, language };
      const wish = {
        person,
        remoteAddr: request.ip,
        clusterId: asset.id,
        systemUserId: systemUser.id,
      };
      // A session outlives the request that opens it.
      const visit = await partOf(new Work(), () => answered(() => beginVisit(options, wish)));
      return visitAnswer(visit, zone);
    },
  });
  const page = <Answer>(
    name: string,
    declared: { readonly summary: string; readonly query: Fields; readonly answer: Shape },
    work: (visit: LiveVisit, context: Context) => Promise<Answer>,
  ) =>
    route(app, {
      method: 'GET',
      url: `${PATH}:id/${name}/`,
      access: Permission.USE,
      ...declared,
      handler: (context) =>
        partOf(new Work(), () =>
          answered(async () =>
            work(await visitOf(options, context, parameter(context, 'id')), context),
          ),
        ),
    });
  page(
    'namespaces',
    {
      summary: 'The namespaces of the cluster of a visit.',
      query: shapes.NAMESPACES_QUERY,
      answer: shapes.NAMESPACES,
    },
    namespaces,
  );
  page(
    'objects',
    {
      summary: 'A page of the objects of one kind, with the columns that the API server prints.',
      query: shapes.OBJECTS_QUERY,
      answer: shapes.OBJECTS,
    },
    objects,
  );
  page(
    'object',
    {
      summary: 'An object as YAML, and the containers of a pod. Values of Secrets are masked.',
      query: shapes.OBJECT_QUERY,
      answer: shapes.OBJECT,
    },
    object,
  );
  page(
    'log',
    {
      summary: 'The log of a container, also as a stream that follows it.',
      query: shapes.LOG_QUERY,
      answer: fileOf('text/plain', 'listening on port 8080\n'),
    },
    log,
  );
}
