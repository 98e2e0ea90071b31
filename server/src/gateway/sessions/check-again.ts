import { type ErrorCode, INSTANT_ACCESS_END, type Problem } from '@sallyport/contract';
import { type Grant, targetOf } from '../ports/grant.ts';
import type { NewSession } from '../ports/records.ts';
import type { Access } from '../ports.ts';
import { problemOf, Refusal, uncheckedCodeOf } from '../refusal.ts';
import { requireInteractive } from './require-interactive.ts';

/** Refusals that a user reads as they are; others mean that the permission has ended. */
const KEPT: ReadonlySet<string> = new Set([
  'connect_condition',
  'connect_second_person',
  'connect_switch_terminal',
]);

/**
 * Checks sign-in and permission of a live session. Returns the grant, the reason for the end of the
 * session, or the code and the error of a check that failed itself.
 */
export async function checkAgain(
  access: Access,
  { person, grant }: NewSession,
  isInteractive: boolean,
): Promise<
  | { readonly still: Grant }
  | { readonly problem: Problem }
  | { readonly unchecked: ErrorCode; readonly error: unknown }
> {
  try {
    if (person.loginId && !(await access.isSignedIn(person.loginId)))
      return { problem: { code: 'session_signed_out' } };
    const target = targetOf(grant);
    const still = await access.check(person, target.id, grant.systemUser.id, target.kind);
    if (still.systemUser.allowedCommands !== grant.systemUser.allowedCommands)
      return { problem: { code: 'account_rules_changed' } };
    requireInteractive(still, isInteractive);
    return { still };
  } catch (error) {
    const unchecked = uncheckedCodeOf(error);
    if (unchecked) return { unchecked, error };
    const problem = problemOf(error);
    return { problem: KEPT.has(problem.code) ? problem : { code: 'connect_expired' } };
  }
}

/** Returns the reason for the end of a session: a user reads that instant access has ended. */
export const endCodeOf = (
  code: ErrorCode,
  { instantUntil }: Pick<Grant, 'instantUntil'>,
): ErrorCode => (code === 'connect_expired' && instantUntil ? INSTANT_ACCESS_END.code : code);

/** Returns the news that instant access has ended while another permission remains. */
export const noticeOf = (
  before: Pick<Grant, 'instantUntil'>,
  still: Pick<Grant, 'instantUntil'>,
): Problem | undefined =>
  before.instantUntil && !still.instantUntil ? { code: INSTANT_ACCESS_END.notice } : undefined;

/**
 * Checks sign-in and permission of a session for another address of its user.
 * @throws Refusal
 */
export async function checkFrom(
  access: Access,
  row: NewSession,
  isInteractive: boolean,
  remoteAddr: string | null,
): Promise<Grant> {
  const moved = { ...row, person: { ...row.person, remoteAddr } };
  const checked = await checkAgain(access, moved, isInteractive);
  if ('still' in checked) return checked.still;
  if ('problem' in checked) throw new Refusal(checked.problem.code, checked.problem.params);
  const { unchecked } = checked;
  throw new Refusal(unchecked === 'session_database_away' ? 'connect_database_away' : unchecked);
}
