import { user } from '@sallyport/contract';
import type { Context } from '../../http/context.ts';
import { Refusal } from '../../http/problem.ts';
import type { AuditEntry } from '../../http/resource/hooks.ts';
import { type Engines, engineOf } from '../../http/resource/mount.ts';
import { parameter } from '../../http/route.ts';
import { mayUpdate } from './user-hooks.ts';

/** An account that an administrator is about to do something with. */
export interface ManagedAccount {
  readonly id: string;
  readonly username: string;
  readonly name: string;
  readonly source: string;
}

/** The account of the path that the caller may change. @throws Refusal 404 outside the organization, 403 for accounts above the caller's */
export async function managedAccount(context: Context, engines: Engines): Promise<ManagedAccount> {
  const row = await engineOf(engines, user).reader.retrieve(parameter(context, 'id'), context);
  if (!mayUpdate(row)) throw new Refusal(403, 'object_protected');
  return { id: String(row.id), username: String(row.username), name: String(row.name), source: String(row.source) };
}

/** How the operate log keeps that something was done with an account. */
export function accountEntry(account: ManagedAccount, changes: NonNullable<AuditEntry['changes']>): AuditEntry {
  return { action: 'update', resourceType: 'user', resource: `${account.name}(${account.username})`, resourceId: account.id, changes };
}
