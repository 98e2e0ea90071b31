import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Actor, type Caller, displayName } from '../platform/actor.ts';
import type { JobRequester } from '../platform/jobs/definition.ts';

/** The request context of a handler. Rules and services receive only the `Caller` part. */
export interface Context extends Caller {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly query: URLSearchParams;
}

/** The context of a public route, whose caller may be unknown. */
export type PublicContext = Omit<Context, 'actor'> & { readonly actor: Actor | undefined };

/** Returns the caller of a request as the requester of a job. */
export function callerOf({ actor, language, zone }: Context): JobRequester {
  return {
    userId: actor.userId,
    name: displayName(actor),
    organization: actor.organization.id,
    permissions: actor.permissions,
    language,
    zone,
  };
}
