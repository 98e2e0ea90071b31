import {
  choice,
  type Invited,
  list,
  type OrganizationRole,
  organization,
  type Problem,
} from '@sallyport/contract';
import type { Context } from '../../../http/context.ts';
import { readBody } from '../../../http/route.ts';
import { type CurrentOrganization, displayName } from '../../../platform/actor.ts';
import { type Tx, transact } from '../../../platform/db/database.ts';
import { Invalid, InvalidItems, invalid, Rejected } from '../../../platform/errors.ts';
import type { AuditEntry, ResourceServices } from '../../../resources/hooks.ts';
import type { Mailer } from '../../mail/index.ts';
import { addMembers, findInvited } from '../../orgs/index.ts';
import { policyActor } from '../accounts/account-facts.ts';
import type { Mails } from '../mail/jobs.ts';
import { invitationOf } from '../policy.ts';
import { dropInvitations, keepInvitations } from './store.ts';

export interface InvitationOptions extends Pick<ResourceServices, 'db' | 'audit' | 'lockGrants'> {
  readonly mailer: Pick<Mailer, 'isConfigured'>;
  readonly mails: Pick<Mails, 'enqueue'>;
}

/** Writes a log entry in the organization that it concerns, whichever the caller is in. */
export async function note(
  { audit, tx }: Pick<InvitationOptions, 'audit'> & { readonly tx: Tx },
  { actor }: Context,
  { id, name }: CurrentOrganization,
  changes: NonNullable<AuditEntry['changes']>,
): Promise<void> {
  await audit(
    tx,
    { actor: { ...actor, organization: { id, name } } },
    { action: 'update', resourceType: 'organization', resource: name, resourceId: id, changes },
  );
}

const MAX_INVITED = 100;
export const INVITE_FIELDS = {
  accounts: list({
    label: { en: 'Usernames or email addresses', zh: '用户名或邮箱' },
    max: 128,
    minItems: 1,
    maxItems: MAX_INVITED,
  }),
  role: choice({
    label: { en: 'Role', zh: '角色' },
    choices: [
      { value: 'User', label: { en: 'User', zh: '用户' } },
      { value: 'Auditor', label: { en: 'Auditor', zh: '审计员' } },
      { value: 'Admin', label: { en: 'Administrator', zh: '管理员' } },
    ],
    defaultValue: 'User',
  }),
};

type FoundUser = Awaited<ReturnType<typeof findInvited>>[number];
type Change = InvitationOptions & { readonly tx: Tx };

/** Adds accounts to the current organization, or asks their users first. */
export async function invite(options: InvitationOptions, context: Context): Promise<Invited[]> {
  const { actor } = context;
  const { accounts, role = 'User' } = readBody(context, INVITE_FIELDS);
  if (actor.organization.id === '') throw new Rejected('invite_outside');
  const { needsConsent, refusal } = invitationOf(policyActor(context), role);
  if (refusal) throw invalid('role', refusal);
  const names = accounts.map((account) => account.trim());
  return transact(options.db, async (tx) => {
    await options.lockGrants(organization, tx);
    const rows = await findInvited(names, actor.organization.id, role, tx);
    assertInvitable(names, rows);
    const users = [...new Map(rows.map((row) => [row.id, row])).values()];
    context.reply.code(201);
    return needsConsent
      ? askUsers({ ...options, tx }, context, users)
      : addUsers({ ...options, tx }, context, users, role);
  });
}

/** @throws Invalid, InvalidItems if a name has no account, several, or one of a member */
function assertInvitable(names: readonly string[], rows: readonly FoundUser[]): void {
  const problems = names.map((account): Record<string, Problem[]> => {
    const matches = rows.filter((row) => row.identifier === account);
    // A username may equal another user's mail address, which makes the account ambiguous.
    if (matches.length !== 1) return { accounts: [{ code: 'account_unknown' }] };
    return matches[0]?.is_member ? { accounts: [{ code: 'member_already' }] } : {};
  });
  if (problems.some((problem) => Object.keys(problem).length > 0))
    throw names.length === 1 ? new Invalid(problems[0] ?? {}) : new InvalidItems(problems);
}

/** Stores invitations, which their users accept or decline. */
async function askUsers(
  change: Change,
  context: Context,
  users: readonly FoundUser[],
): Promise<Invited[]> {
  const { mailer, mails, tx } = change;
  const { actor, language } = context;
  await keepInvitations(actor.organization.id, users, displayName(actor), tx);
  // Without mail, the invitation waits on the profile page alone.
  if (mailer.isConfigured())
    for (const { id: userId } of users)
      await mails.enqueue(
        { kind: 'invitation', userId, language, about: { about: actor.organization.name } },
        tx,
      );
  await note(change, context, actor.organization, {
    invited: [[], users.map((row) => row.identifier)],
  });
  // Reveal only the entered text about a user before the user consents.
  return users.map(({ id, identifier }) => ({
    id,
    username: identifier,
    name: '',
    state: 'invited',
  }));
}

/** Adds users to the organization at once. */
async function addUsers(
  change: Change,
  context: Context,
  users: readonly FoundUser[],
  role: OrganizationRole,
): Promise<Invited[]> {
  const { organization: here } = context.actor;
  const ids = users.map(({ id }) => id);
  await addMembers(here.id, ids, role, change.tx);
  await dropInvitations(here.id, ids, change.tx);
  const label = { User: 'users', Auditor: 'auditors', Admin: 'admins' }[role];
  await note(change, context, here, { [label]: [[], users.map(displayName)] });
  return users.map(({ id, username, name }) => ({ id, username, name, state: 'member' }));
}
