import { allows, type Fields, type Language, type LocalText, Permission, parseBody } from '@sallyport/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { Actor } from './actor.ts';
import type { Context, PublicContext } from './context.ts';
import { languageOf, zoneOf } from './locale.ts';
import { Invalid, notAuthenticated, Refusal } from './problem.ts';

/**
 * Who may use a route. `public`: everybody. `signed-in`: any account with a session, also an expired one (its own profile only).
 * A number: the permission bits that are needed, all of them, in the current organization.
 */
export type RouteAccess = 'public' | 'signed-in' | number;

/** One line of the table that the authorization test walks. */
export interface DeclaredRoute {
  readonly method: string;
  readonly url: string;
  readonly access: RouteAccess;
  readonly socket: boolean;
  readonly summary: string | undefined;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: RouteAccess;
    /** The route is opened as a WebSocket. */
    socket?: true;
    summary?: string;
  }
  interface FastifyRequest {
    actor?: Actor;
  }
}

/** What is asked of a request that claims to come from somebody. Implemented by the sign-in feature. */
export interface Authenticator {
  /** The actor of a request; undefined when it carries no valid sign-in. @throws Refusal when a browser's request may be forged. */
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
export function assertAccess(access: RouteAccess, actor: Actor | undefined, language: Language): void {
  if (access === 'public') return;
  if (!actor) throw notAuthenticated();
  if (access === 'signed-in' || allows(actor.permissions, access)) return;
  const name = NAMES.find(([bits]) => (access & bits) === bits)?.[1];
  throw new Refusal(403, 'permission_denied', { needed: name ? name[language] : '' });
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

interface RouteOptions<C> {
  readonly method: HTTPMethods | HTTPMethods[];
  readonly url: string;
  readonly access: RouteAccess;
  readonly handler: (context: C) => Promise<unknown> | unknown;
  readonly bodyLimit?: number;
  /** What the documentation says of it. */
  readonly summary?: string;
}

/** Adds a route for signed-in people. */
export function route(app: FastifyInstance, options: RouteOptions<Context> & { access: 'signed-in' | number }): void {
  app.route({
    method: options.method,
    url: options.url,
    ...(options.bodyLimit && { bodyLimit: options.bodyLimit }),
    config: { access: options.access, ...(options.summary && { summary: options.summary }) },
    handler: (request, reply) => options.handler(contextOf(request, reply) as Context),
  });
}

/** Adds a route for everybody. */
export function publicRoute(app: FastifyInstance, options: Omit<RouteOptions<PublicContext>, 'access'>): void {
  app.route({
    method: options.method,
    url: options.url,
    ...(options.bodyLimit && { bodyLimit: options.bodyLimit }),
    config: { access: 'public', ...(options.summary && { summary: options.summary }) },
    handler: (request, reply) => options.handler(contextOf(request, reply)),
  });
}

/** Reads a body that is no resource by field declarations. @throws Invalid */
export function readBody(context: PublicContext, fields: Fields): Record<string, unknown> {
  const { values, problems } = parseBody(fields, context.request.body ?? {}, 'create');
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
  return values;
}

/** A path parameter. */
export function parameter(context: PublicContext, name: string): string {
  return (context.request.params as Record<string, string>)[name] ?? '';
}
