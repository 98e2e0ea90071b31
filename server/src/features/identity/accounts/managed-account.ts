import { type DutyOrNone, user } from '@sallyport/contract';
import type { Context } from '../../../http/context.ts';
import { parameter } from '../../../http/route.ts';
import type { Db } from '../../../platform/db/database.ts';
import { Forbidden, Rejected } from '../../../platform/errors.ts';
import { type Engines, engineOf } from '../../../resources/engines.ts';
import type { AuditEntry } from '../../../resources/hooks.ts';
import { type AccountChange, refusalOf } from '../policy.ts';
import { factsOf, policyActor } from './account-facts.ts';

/** An account, as the operate log names it. */
export interface NamedAccount {
  readonly id: string;
  readonly username: string;
  readonly name: string;
}

/** The account that an administrator's request changes. */
export interface ManagedAccount extends NamedAccount {
  readonly source: string;
  readonly duty: DutyOrNone;
}

/**
 * Returns the account of the path if the caller may make the change.
 * @throws NotFound outside the organization, Forbidden if the policy rejects the change
 */
export async function managedAccount(
  context: Context,
  change: AccountChange,
  { engines, db }: { readonly engines: Engines; readonly db: Db },
): Promise<ManagedAccount> {
  const row = await engineOf(engines, user).reader.retrieve(parameter(context, 'id'), context);
  const facts = await factsOf(String(row.id), db);
  const refusal = facts ? refusalOf(policyActor(context), facts, change) : 'object_protected';
  if (refusal) throw new Forbidden(refusal);
  return {
    id: String(row.id),
    username: String(row.username),
    name: String(row.name),
    source: String(row.source),
    duty: (row.duty ?? '') as DutyOrNone,
  };
}

/** @throws Rejected if no mailed link may replace the password of the account */
export function assertMailResets({ duty, username }: ManagedAccount): void {
  if (duty !== '') throw new Rejected('duty_no_mail', { name: username });
}

/** Creates the operate log entry of a change of an account. */
export function accountEntry(
  account: NamedAccount,
  changes: NonNullable<AuditEntry['changes']>,
): AuditEntry {
  return {
    action: 'update',
    resourceType: 'user',
    resource: `${account.name}(${account.username})`,
    resourceId: account.id,
    changes,
  };
}
