import type { Caller } from '../../../platform/actor.ts';
import { Forbidden } from '../../../platform/errors.ts';

/**
 * Rejects requests signed by an access key: a key must not change the credentials of its account.
 * @throws AppError sign_in_needed
 */
export function assertSignedIn({ actor }: Caller): void {
  if (actor.session.kind === 'access-key') throw new Forbidden('sign_in_needed');
}
