import type { Context } from '../../http/context.ts';
import { Refusal } from '../../http/problem.ts';

/** Refuses requests that only carry an access key: a key must not be able to change what protects the account. @throws Refusal sign_in_needed */
export function assertSignedIn({ actor }: Context): void {
  if (actor.session.kind === 'access-key') throw new Refusal(403, 'sign_in_needed');
}
