import { displayName } from '../platform/actor.ts';
import type { JobRequester } from '../platform/jobs/definition.ts';
import type { Context } from './context.ts';

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
