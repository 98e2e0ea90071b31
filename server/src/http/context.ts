import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Actor, Caller } from '../platform/actor.ts';

/** The request context of a handler. Rules and services receive only the `Caller` part. */
export interface Context extends Caller {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly query: URLSearchParams;
}

/** The context of a public route, whose caller may be unknown. */
export type PublicContext = Omit<Context, 'actor'> & { readonly actor: Actor | undefined };
