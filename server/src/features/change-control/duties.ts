import {
  commandStorage,
  type DutyOrNone,
  dutyCovers,
  dutyProposesSetting,
  isIdentitySetting,
  type ProposedChange,
  platform,
  replayStorage,
  terminal,
} from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { Conflict, Forbidden, invalid } from '../../platform/errors.ts';
import { isSetting } from './settings.ts';
import type { ChangeSet, StoredChange } from './store.ts';
import { mayMake, writesOf } from './work.ts';

const SYSTEM_PARTS: ReadonlySet<string> = new Set([
  platform.name,
  replayStorage.name,
  commandStorage.name,
  terminal.name,
]);

const isSystemPart = (change: ProposedChange): boolean =>
  isSetting(change) || SYSTEM_PARTS.has(change.resource);

type Change = Pick<StoredChange, 'proposed' | 'secrets'>;

/**
 * Returns true if the duty of the caller includes a change set. The system administrator takes
 * part in those of settings, storages and platforms only.
 */
export function mayDecide(set: Pick<ChangeSet, 'changes' | 'turns_off'>, caller: Caller): boolean {
  const { duty } = caller.actor;
  if (duty === '') return true;
  const writes = writesOf(set);
  const isOfSystem = !set.turns_off && writes.length > 0 && writes.every(isSystemPart);
  return (isOfSystem || dutyCovers(duty, 'permissions', 'change')) && mayMake(writes, caller);
}

/** Names of the settings of changes, secrets included. */
const namesIn = (changes: readonly Change[]): string[] =>
  changes
    .filter(({ proposed }) => isSetting(proposed))
    .flatMap(({ proposed: { body = {} }, secrets = [] }) => [...Object.keys(body), ...secrets]);

/** Returns true if duties are separated and the changes decide who a user is. */
export async function needsTwoDuties(changes: readonly Change[], on: Db | Tx): Promise<boolean> {
  if (!namesIn(changes).some(isIdentitySetting)) return false;
  const { rows } = await sql<{ is_separated: boolean }>`
    select duties_are_separated() as is_separated`.execute(on);
  return rows[0]?.is_separated === true;
}

/** Returns true if duties are separated and two of them change all of this, without control. */
export const areOfTwoDuties = async (changes: readonly ProposedChange[], db: Db) =>
  changes.every(isSetting) &&
  needsTwoDuties(
    changes.map((proposed) => ({ proposed })),
    db,
  );

/**
 * Checks what a proposal without change control changes: settings that two duties change together,
 * and other ones of the proposer's duty in the same form.
 * @throws Conflict, Invalid
 */
export async function assertOfTwoDuties(
  changes: readonly Change[],
  { actor }: Caller,
  db: Db,
): Promise<void> {
  if (!(await needsTwoDuties(changes, db))) throw new Conflict('change_set_not_controlled');
  const other = namesIn(changes).find((name) => !dutyProposesSetting(actor.duty, name));
  if (other !== undefined) throw invalid(other, 'duty_setting');
}

/**
 * Checks that two duties change together what decides who a user is. Two administrators without a
 * duty do so while duties are not separated only.
 * @throws Forbidden
 */
export async function assertOtherDuty(
  { changes }: ChangeSet,
  proposer: DutyOrNone,
  decider: DutyOrNone,
  db: Db,
): Promise<void> {
  if (proposer !== decider || !namesIn(changes).some(isIdentitySetting)) return;
  if (decider !== '' || (await needsTwoDuties(changes, db)))
    throw new Forbidden('change_set_other_duty');
}
