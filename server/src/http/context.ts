import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Actor, Caller } from '../platform/actor.ts';

/** What a handler works with: the caller, the request, and how the answer is to be written. Rules and services take the caller only. */
export interface Context extends Caller {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly query: URLSearchParams;
}

/** A context before anybody is known: for the few public routes. */
export type PublicContext = Omit<Context, 'actor'> & { readonly actor: Actor | undefined };
