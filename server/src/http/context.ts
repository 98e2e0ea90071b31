import type { Language } from '@sallyport/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Actor } from './actor.ts';

/** What a handler works with: the request, who asks, and how the answer is to be written. */
export interface Context {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly actor: Actor;
  readonly language: Language;
  /** IANA zone that dates are written in. */
  readonly zone: string;
  readonly query: URLSearchParams;
}

/** A context before anybody is known: for the few public routes. */
export type PublicContext = Omit<Context, 'actor'> & { readonly actor: Actor | undefined };
