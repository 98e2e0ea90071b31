import type { Grant } from '../ports/grant.ts';
import { Refusal } from '../refusal.ts';

/**
 * Rejects a grant that only an interactive terminal can use: a second person must watch its input,
 * or it begins with a switch to another account.
 * @throws Refusal
 */
export function requireInteractive(
  { secondPerson, systemUser: { switchMethod } }: Grant,
  isInteractive = false,
): void {
  if (isInteractive) return;
  if (secondPerson) throw new Refusal('connect_second_person');
  if (switchMethod) throw new Refusal('connect_switch_terminal');
}
