import type { Caller } from '../../../platform/actor.ts';
import { Forbidden } from '../../../platform/errors.ts';

/** Refuses requests that only carry an access key: a key must not be able to change what protects the account. @throws AppError sign_in_needed */
export function assertSignedIn({ actor }: Caller): void {
  if (actor.session.kind === 'access-key') throw new Forbidden('sign_in_needed');
}
