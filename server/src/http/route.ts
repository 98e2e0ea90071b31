import {
  allows,
  type Fields,
  type Language,
  type LocalText,
  Permission,
  parseBody,
} from '@sallyport/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { Actor } from '../platform/actor.ts';
import { Forbidden, Invalid, notAuthenticated } from '../platform/errors.ts';
import type { Context, PublicContext } from './context.ts';
import { languageOf, zoneOf } from './locale.ts';
import type { Shape } from './shapes.ts';

/**
 * Who may use a route. `public`: no sign-in needed. `signed-in`: any account with a session, also an expired one (its own profile only).
 * A number: the permission bits that are needed, all of them, in the current organization.
 */
export type RouteAccess = 'public' | 'signed-in' | number;

/** What the documentation says of a route that is no resource. */
interface Described {
  readonly summary?: string;
  /** The fields of the body; `readBody` reads it by the same declaration. */
  readonly body?: Fields;
  /** What the body is where it is no object of fields. */
  readonly bodyShape?: Shape;
  /** Fields that known clients send along and that mean nothing here; they are accepted and ignored. */
  readonly ignored?: readonly string[];
  /** The fields of the form in OPTIONS, where they are not those of the body. */
  readonly form?: Fields;
  /** The columns of a list in OPTIONS; absent: the members of its answer. */
  readonly columns?: Fields;
  /** Parameters of the address; those that are required are in the example. */
  readonly query?: Fields;
  /** Absent: nothing is answered. */
  readonly answer?: Shape;
  /** Further answers of requests that went well, by status. */
  readonly otherAnswers?: Readonly<Record<number, Shape>>;
  /** The status when all went well, where it is not 200 (or 204 without an answer). */
  readonly status?: number;
  /** Only for installations with a valid license. */
  readonly licensed?: true;
  /** A public route whose answer holds more for people who are signed in. */
  readonly recognizesCaller?: true;
}

/** One line of the table that the authorization test walks. */
export interface DeclaredRoute extends Described {
  readonly method: string;
  readonly url: string;
  readonly access: RouteAccess;
  readonly socket: boolean;
}

declare module 'fastify' {
  interface FastifyContextConfig extends Described {
    access?: RouteAccess;
    /** The route is opened as a WebSocket. */
    socket?: true;
    takesCsv?: true;
    takesBytes?: true;
  }
  interface FastifyRequest {
    actor?: Actor;
  }
}

/** Authenticates a request with credentials. Implemented by the sign-in feature. */
export interface Authenticator {
  /** The actor of a request; undefined when it carries no valid sign-in. @throws AppError when a browser's request may be forged. */
  authenticate(request: FastifyRequest): Promise<Actor | undefined>;
}

/** Who may do what takes these bits, the most telling name first. */
const NAMES: readonly (readonly [bits: number, name: LocalText])[] = [
  [Permission.SUPER | Permission.ADMIN, { en: 'super administrator', zh: '超级管理员' }],
  [Permission.SUPER | Permission.AUDIT, { en: 'super auditor', zh: '超级审计员' }],
  [Permission.ADMIN, { en: 'administrator', zh: '管理员' }],
  [Permission.AUDIT, { en: 'auditor', zh: '审计员' }],
  [Permission.USE, { en: 'user', zh: '用户' }],
];

/** Lets an actor through, or refuses saying what is missing. */
export function assertAccess(
  access: RouteAccess,
  actor: Actor | undefined,
  language: Language,
): void {
  if (access === 'public') return;
  if (!actor) throw notAuthenticated();
  if (access === 'signed-in' || allows(actor.permissions, access)) return;
  const name = NAMES.find(([bits]) => (access & bits) === bits)?.[1];
  throw new Forbidden('permission_denied', { needed: name ? name[language] : '' });
}

/** The context of a request. */
export function contextOf(request: FastifyRequest, reply: FastifyReply): PublicContext {
  const mark = request.url.indexOf('?');
  return {
    request,
    reply,
    actor: request.actor,
    language: languageOf(request),
    zone: zoneOf(request),
    query: new URLSearchParams(mark < 0 ? '' : request.url.slice(mark)),
  };
}

interface RouteOptions<C> extends Described {
  readonly method: HTTPMethods | HTTPMethods[];
  readonly url: string;
  readonly access: RouteAccess;
  readonly handler: (context: C) => Promise<unknown> | unknown;
  readonly bodyLimit?: number;
  /** Whether the body may be a CSV file; it then comes as its bytes. */
  readonly takesCsv?: true;
  /** Whether the body is a file of any kind; it then comes as a stream, which the handler has to bound. */
  readonly takesBytes?: true;
}

/** A route as Fastify takes it: what we declare of it is its configuration. */
function declared<C>(
  { method, url, bodyLimit, handler, ...config }: RouteOptions<C>,
  contextFor: (request: FastifyRequest, reply: FastifyReply) => C,
) {
  return {
    method,
    url,
    ...(bodyLimit && { bodyLimit }),
    config,
    handler: (request: FastifyRequest, reply: FastifyReply) => handler(contextFor(request, reply)),
  };
}

/** Adds a route for signed-in people. */
export function route(
  app: FastifyInstance,
  options: RouteOptions<Context> & { access: 'signed-in' | number },
): void {
  app.route(declared(options, (request, reply) => contextOf(request, reply) as Context));
}

/** Adds a public route. */
export function publicRoute(
  app: FastifyInstance,
  options: Omit<RouteOptions<PublicContext>, 'access'>,
): void {
  app.route(declared({ ...options, access: 'public' }, contextOf));
}

/** Reads a body that is no resource by field declarations: those of its route unless others are given. @throws Invalid */
export function readBody(
  context: PublicContext,
  fields: Fields = context.request.routeOptions.config.body ?? {},
): Record<string, unknown> {
  const { values, problems } = parseBody(fields, context.request.body ?? {}, 'create', {
    zone: context.zone,
    ignored: context.request.routeOptions.config.ignored,
  });
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
  return values;
}

/** A path parameter. */
export function parameter(context: PublicContext, name: string): string {
  return (context.request.params as Record<string, string>)[name] ?? '';
}
