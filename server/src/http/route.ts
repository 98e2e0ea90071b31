import {
  type Area,
  type AreaUse,
  allows,
  type BodyOf,
  DUTY,
  dutyCovers,
  type Fields,
  type Language,
  type LocalText,
  Permission,
  parseBody,
} from '@sallyport/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { Actor } from '../platform/actor.ts';
import { Forbidden, Invalid, notAuthenticated } from '../platform/errors.ts';
import { type Context, contextOf, type PublicContext } from './context.ts';
import type { Shape } from './shapes.ts';

/**
 * Access of a route. `public`: no sign-in. `signed-in`: any account with a session, even an expired
 * one, which sees only its own profile. Number: permission bits, all required, in the current
 * organization.
 */
export type RouteAccess = 'public' | 'signed-in' | number;

/** Documentation of a route that is no resource. */
interface Described {
  readonly summary?: string;
  /** Fields of the body; `readBody` parses by them. */
  readonly body?: Fields;
  /** Shape of a body that is no object of fields. */
  readonly bodyShape?: Shape;
  /** Fields that known clients send and the server ignores. */
  readonly ignored?: readonly string[];
  /** Fields of the form in OPTIONS. Default: those of the body. */
  readonly form?: Fields;
  /** Columns of a list in OPTIONS. Default: the members of its answer. */
  readonly columns?: Fields;
  /** Query parameters; the example contains the required ones. */
  readonly query?: Fields;
  /** Absent: the answer has no body. */
  readonly answer?: Shape;
  /** Further successful answers by status. */
  readonly otherAnswers?: Readonly<Record<number, Shape>>;
  /** Status on success. Default: 200, or 204 without an answer. */
  readonly status?: number;
  /** Available only with a valid license. */
  readonly licensed?: true;
  /** The public route recognizes signed-in callers and shows them more. */
  readonly recognizesCaller?: true;
  /** Ends the sign-in of the request; sign-in rules do not refuse it. */
  readonly endsSignIn?: true;
  /** The path that takes writes instead; other methods of this path answer 501 and name it. */
  readonly writesAt?: string;
  /** Absent: holders of a duty may not use the route. */
  readonly area?: Area;
  /** The route changes nothing, whatever its method is. */
  readonly reads?: true;
}

/** One line of the authorization matrix. */
export interface DeclaredRoute extends Described {
  readonly method: string;
  readonly url: string;
  readonly access: RouteAccess;
  readonly socket: boolean;
}

declare module 'fastify' {
  interface FastifyContextConfig extends Described {
    access?: RouteAccess;
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
  /**
   * Returns the actor of a request; undefined without a valid sign-in. @throws AppError if a
   * browser request may be forged
   */
  authenticate(request: FastifyRequest): Promise<Actor | undefined>;
}

const ADMINISTRATOR: LocalText = { en: 'administrator', zh: '管理员' };

/** Role names by permission bits, most specific first. */
const NAMES: readonly (readonly [bits: number, name: LocalText])[] = [
  [Permission.SUPER | Permission.ADMIN, { en: 'super administrator', zh: '超级管理员' }],
  [Permission.SUPER | Permission.AUDIT, { en: 'super auditor', zh: '超级审计员' }],
  [Permission.ADMIN, ADMINISTRATOR],
  [Permission.AUDIT, { en: 'auditor', zh: '审计员' }],
  [Permission.USE, { en: 'user', zh: '用户' }],
];

/** Returns the refusal that names the role with these permission bits. */
export function permissionDenied(access: number, language: Language): Forbidden {
  const name = NAMES.find(([bits]) => (access & bits) === bits)?.[1] ?? ADMINISTRATOR;
  return new Forbidden('permission_denied', { needed: name[language] });
}

/** Checks the access of an actor. @throws AppError that names the missing role */
export function assertAccess(
  access: RouteAccess,
  actor: Actor | undefined,
  language: Language,
): void {
  if (access === 'public') return;
  if (!actor) throw notAuthenticated();
  if (access === 'signed-in' || allows(actor.permissions, access)) return;
  throw permissionDenied(access, language);
}

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Returns how a route uses its area. A socket is opened by GET and then only reads. */
export const useOf = ({ method, reads }: Pick<DeclaredRoute, 'method' | 'reads'>): AreaUse =>
  reads || SAFE_METHODS.has(method) ? 'read' : 'change';

/** Checks that the duty of an actor covers a route. @throws Forbidden that names the duty */
export function assertDuty(
  route: Pick<DeclaredRoute, 'method' | 'reads' | 'area'>,
  { duty }: Actor,
  language: Language,
): void {
  if (duty === '' || dutyCovers(duty, route.area, useOf(route))) return;
  throw new Forbidden('duty_denied', { duty: DUTY[duty].title[language] });
}

interface RouteOptions<C> extends Described {
  readonly method: HTTPMethods | HTTPMethods[];
  readonly url: string;
  readonly access: RouteAccess;
  readonly handler: (context: C) => Promise<unknown> | unknown;
  readonly bodyLimit?: number;
  /** Accepts a CSV body, as bytes. */
  readonly takesCsv?: true;
  /** Accepts any file, as a stream; the handler must limit its size. */
  readonly takesBytes?: true;
}

/** Returns the route in Fastify's form, with its declaration as configuration. */
function fastifyRoute<C>(
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

/** Adds a route for signed-in callers. */
export function route(
  app: FastifyInstance,
  options: RouteOptions<Context> & { access: 'signed-in' | number },
): void {
  app.route(fastifyRoute(options, (request, reply) => contextOf(request, reply) as Context));
}

export function publicRoute(
  app: FastifyInstance,
  options: Omit<RouteOptions<PublicContext>, 'access'>,
): void {
  app.route(fastifyRoute({ ...options, access: 'public' }, contextOf));
}

/** Parses the body by the fields that its route declares. @throws Invalid */
export function readBody<F extends Fields>(context: PublicContext, fields: F): BodyOf<F> {
  const { values, problems } = parseBody(fields, context.request.body ?? {}, 'create', {
    zone: context.zone,
    ignored: context.request.routeOptions.config.ignored,
  });
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
  return values as BodyOf<F>;
}

/** Returns a path parameter. */
export function parameter(context: PublicContext, name: string): string {
  return (context.request.params as Record<string, string>)[name] ?? '';
}
