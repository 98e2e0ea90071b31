import type { user } from '@sallyport/contract';
import { externalSourceOf } from '../../../platform/actor.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { Operation, Saved } from '../../../resources/hooks.ts';
import { writePasswordChange } from '../../audits/index.ts';
import { addMembers } from '../../orgs/index.ts';
import { removePasskeys } from '../mfa/second-factors.ts';
import { endAllAccess } from '../sign-in-sessions/store.ts';
import { storeShutBy } from '../source-state/apply.ts';
import { forgetSource } from '../source-state/proof.ts';
import { deleteAllSshKeys } from '../ssh-keys/store.ts';
import { changesSource } from './allowed-changes.ts';
import { changesDuty } from './duties.ts';

/** Stores what follows from saved values: membership, the age of a password, ended access. */
export async function storeEffects(
  { id, values, previous }: Saved<typeof user>,
  { caller, tx }: Operation,
): Promise<void> {
  const { organization } = caller.actor;
  if (!previous && organization.id !== '') {
    await addMembers(organization.id, [id], 'User', tx);
    await sql`
      update account set home_organization_id = ${organization.id}::uuid
      where id = ${id}`.execute(tx);
  }
  if (values.password) {
    // Another user knows this password: see SECURITY_CHANGE_ASSIGNED_PASSWORD.
    const isAssigned = caller.actor.session.kind !== 'system' && id !== caller.actor.userId;
    await sql`
      update account
      set date_password_last_updated = now(), password_assigned = ${isAssigned}
      where id = ${id}`.execute(tx);
    await endAllAccess(tx, id);
    await writePasswordChange(tx, caller, id);
  }
  if (changesSource(values, previous)) await forgetSource(id, tx);
  await storeWhoShut({ id, values, previous }, { caller, tx });
  const isOtherDuty = changesDuty(values, previous);
  if (values.is_active === false || isOtherDuty) await endAllAccess(tx, id);
  // Another duty may have set them while the account was an ordinary one.
  if (isOtherDuty && values.duty !== '') {
    await deleteAllSshKeys(id, tx);
    await removePasskeys(id, tx);
  }
  // In all organizations: auditors are in no groups, so that no permission reaches them.
  if (values.role === 'Auditor')
    await sql`delete from user_group_users where user_id = ${id}`.execute(tx);
}

/** Stores whether the source or an administrator made an account inactive or active. */
async function storeWhoShut(
  {
    id,
    values: { is_active: isActive },
    previous,
  }: Pick<Saved<typeof user>, 'id' | 'values' | 'previous'>,
  { caller, tx }: Pick<Operation, 'caller' | 'tx'>,
): Promise<void> {
  if (isActive === undefined) return;
  const isBySource = externalSourceOf(caller.actor) !== undefined;
  if (isBySource && isActive === (previous?.is_active ?? true)) return;
  await storeShutBy(id, { isBySource, isActive }, tx);
}
