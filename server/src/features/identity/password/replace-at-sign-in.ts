import type { Tx } from '../../../platform/db/database.ts';
import { setPassword } from '../accounts/store.ts';
import { endAllAccess, endOtherSignIns } from '../sign-in-sessions/store.ts';

/** An account whose user chooses another password while signing in. */
interface Replacing {
  readonly id: string;
  readonly password_assigned: boolean;
}

/**
 * Replaces a password while its user signs in. Access keys stay if the password has only expired;
 * the administrator who assigned one may have made keys with it.
 */
export async function replaceAtSignIn(
  { id, password_assigned: isAssigned }: Replacing,
  hashed: string,
  tx: Tx,
): Promise<void> {
  await setPassword(id, hashed, tx);
  if (isAssigned) await endAllAccess(tx, id);
  else await endOtherSignIns(tx, id);
}
