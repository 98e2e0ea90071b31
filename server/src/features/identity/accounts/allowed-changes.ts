import type { ErrorCode, SourceState } from '@sallyport/contract';
import { type Caller, externalSourceOf, FIRST_ADMINISTRATOR } from '../../../platform/actor.ts';
import { databaseClock } from '../../../platform/clock.ts';
import { Forbidden, Invalid, invalid } from '../../../platform/errors.ts';
import type { Operation, StoredRow, Values } from '../../../resources/hooks.ts';
import { type PolicyTarget, refusalOf, refusalsOfNew } from '../policy.ts';
import { isShut, maySourceOpen } from '../source-state/apply.ts';
import { changesOf, policyActor } from './account-facts.ts';

/** Returns the policy data in a row before `present`. */
export const storedFacts = (
  row: StoredRow,
  column: 'can_update' | 'can_delete' | 'abilities' | 'refusals' = 'can_update',
) => row[column] as PolicyTarget;

/**
 * Rejects changes that the policy denies this caller: the whole account or single fields.
 * @throws Invalid, Forbidden
 */
export function assertAllowed(
  values: Values,
  previous: StoredRow | undefined,
  caller: Caller,
): void {
  assertOpenAtSource(values, previous, caller);
  const actor = policyActor(caller);
  const refusals: Record<string, ErrorCode> = {};
  if (!previous)
    Object.assign(
      refusals,
      refusalsOfNew(actor, {
        role: String(values.role ?? 'User'),
        source: String(values.source ?? 'local'),
        duty: String(values.duty ?? ''),
        hasGroups: Array.isArray(values.groups) && values.groups.length > 0,
      }),
    );
  else {
    const target = storedFacts(previous);
    const whole = refusalOf(actor, target, 'describe');
    if (whole) throw new Forbidden(whole);
    for (const [field, change] of changesOf(values, previous)) {
      const refusal = restoresFirst(target, field, values[field], previous)
        ? undefined
        : refusalOf(actor, target, change);
      if (refusal) refusals[field] = refusal;
    }
  }
  if (Object.keys(refusals).length > 0)
    throw new Invalid(
      Object.fromEntries(Object.entries(refusals).map(([field, code]) => [field, [{ code }]])),
    );
}

/** Returns true if a write gives an existing account another source. */
export const changesSource = (values: Values, previous: StoredRow | undefined): boolean =>
  previous !== undefined && values.source !== undefined && values.source !== previous.source;

/**
 * Rejects the activation of an account that its source has shut. The way around is another source.
 * @throws Invalid
 */
function assertOpenAtSource(
  values: Values,
  previous: StoredRow | undefined,
  { actor }: Caller,
): void {
  const isOpened = values.is_active === true && previous?.is_active === false;
  if (!isOpened || externalSourceOf(actor) || changesSource(values, previous)) return;
  if (isShut(previous.source_state as SourceState)) throw invalid('is_active', 'source_shut');
}

/**
 * Drops the activation by a source of an account that an administrator disabled here. Sources send
 * the state of a user with every change.
 */
export async function keepDisabled(
  values: Values,
  previous: StoredRow | undefined,
  { caller: { actor }, tx }: Pick<Operation, 'caller' | 'tx'>,
): Promise<void> {
  const isOpened = values.is_active === true && previous?.is_active === false;
  if (!isOpened || !externalSourceOf(actor) || (await maySourceOpen(String(previous.id), tx)))
    return;
  delete values.is_active;
}

/**
 * Returns true if the change restores or extends the first administrator, which must stay usable.
 */
function restoresFirst(
  target: PolicyTarget,
  field: string,
  value: unknown,
  previous: StoredRow,
): boolean {
  if (target.username !== FIRST_ADMINISTRATOR) return false;
  if (field === 'is_active') return value === true;
  if (field === 'source') return value === 'local';
  if (field !== 'date_expired') return false;
  return (
    value === null ||
    (value instanceof Date &&
      previous.date_expired instanceof Date &&
      value > previous.date_expired &&
      value.getTime() > databaseClock.now())
  );
}

/**
 * Returns true if a write makes an administrator without the decision of a change set. The approval
 * of one proves the identity for its proposer, who has no session then.
 */
export function appoints(role: unknown, before: unknown, { isApproved }: Caller): boolean {
  return role === 'Admin' && before !== 'Admin' && isApproved !== true;
}
