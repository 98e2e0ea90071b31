import {
  choice,
  type Invitation,
  type Invited,
  list,
  type OrganizationRole,
  organization,
  Permission,
  type Problem,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../../http/context.ts';
import { exampleId } from '../../../http/openapi/examples.ts';
import { parameter, readBody, route } from '../../../http/route.ts';
import { samples } from '../../../http/shapes.ts';
import { type CurrentOrganization, displayName } from '../../../platform/actor.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { transact } from '../../../platform/db/retry.ts';
import { Invalid, InvalidItems, invalid, Rejected } from '../../../platform/errors.ts';
import type { AuditEntry, ResourceServices } from '../../../resources/hooks.ts';
import type { Mailer } from '../../mail/index.ts';
import { addMemberOnce, addMembers, findInvited } from '../../orgs/index.ts';
import { policyActor } from '../accounts/account-facts.ts';
import type { Mails } from '../mail/jobs.ts';
import { invitationOf } from '../policy.ts';
import { assertSignedIn } from '../sign-in-sessions/signed-in.ts';
import {
  dropInvitations,
  keepInvitations,
  listInvitations,
  ofOrganization,
  ofUser,
  presentAll,
  takeInvitation,
} from './store.ts';

const MAX_INVITED = 100;
const FIELDS = {
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

const INVITATION: Invitation = {
  id: exampleId('invitation'),
  account: 'li.wei@example.com',
  organization: 'Shop',
  invited_by: 'Anna Berg(anna)',
  state: 'open',
  date_created: '2026-01-31 08:30:00 +0800',
  date_expired: '2026-02-14 08:30:00 +0800',
};

export interface InvitationOptions extends Pick<ResourceServices, 'db' | 'audit' | 'lockGrants'> {
  readonly mailer: Pick<Mailer, 'isConfigured'>;
  readonly mails: Pick<Mails, 'enqueue'>;
}

/**
 * Routes that add existing accounts to the current organization: at once for administrators of the
 * installation, with the user's consent for others.
 */
export function mountInvitations(
  app: FastifyInstance,
  { db, audit, lockGrants, mailer, mails }: InvitationOptions,
): void {
  /** Writes a log entry in the organization that it concerns, whichever the caller is in. */
  const note = (
    tx: Tx,
    context: Context,
    { id, name }: CurrentOrganization,
    changes: NonNullable<AuditEntry['changes']>,
  ) =>
    audit(
      tx,
      { actor: { ...context.actor, organization: { id, name } } },
      { action: 'update', resourceType: 'organization', resource: name, resourceId: id, changes },
    );

  route(app, {
    method: 'POST',
    url: '/api/v1/users/users/invite/',
    access: Permission.ADMIN,
    summary:
      'Bring accounts into the current organization, each named by its exact username or e-mail address; people whom an organization invites are asked first.',
    body: FIELDS,
    answer: samples<readonly Invited[]>([
      { id: exampleId('user'), username: 'li.wei', name: 'Li Wei', state: 'member' },
      { id: exampleId('user'), username: 'li.wei', name: '', state: 'invited' },
    ]),
    status: 201,
    async handler(context): Promise<Invited[]> {
      const { actor } = context;
      const { accounts, role = 'User' } = readBody(context) as {
        accounts: string[];
        role?: OrganizationRole;
      };
      if (actor.organization.id === '') throw new Rejected('invite_outside');
      const { needsConsent, refusal } = invitationOf(policyActor(context), role);
      if (refusal) throw invalid('role', refusal);
      const names = accounts.map((account) => account.trim());
      return transact(db, async (tx) => {
        await lockGrants(organization, tx);
        const rows = await findInvited(names, actor.organization.id, role, tx);
        const problems = names.map((account): Record<string, Problem[]> => {
          const matches = rows.filter((row) => row.identifier === account);
          // A username may equal another user's mail address, which makes the account ambiguous.
          if (matches.length !== 1) return { accounts: [{ code: 'account_unknown' }] };
          return matches[0]?.is_member ? { accounts: [{ code: 'member_already' }] } : {};
        });
        if (problems.some((problem) => Object.keys(problem).length > 0))
          throw names.length === 1 ? new Invalid(problems[0] ?? {}) : new InvalidItems(problems);
        const users = [...new Map(rows.map((row) => [row.id, row])).values()];
        context.reply.code(201);
        if (needsConsent) {
          await keepInvitations(actor.organization.id, users, displayName(actor), tx);
          // Without mail, the invitation waits on the profile page alone.
          if (mailer.isConfigured())
            for (const { id } of users)
              await mails.enqueue('invitation', id, context.language, tx, {
                about: actor.organization.name,
              });
          await note(tx, context, actor.organization, {
            invited: [[], users.map((row) => row.identifier)],
          });
          // Reveal only the entered text about a user before the user consents.
          return users.map((row) => ({
            id: row.id,
            username: row.identifier,
            name: '',
            state: 'invited',
          }));
        }
        const ids = users.map(({ id }) => id);
        await addMembers(actor.organization.id, ids, role, tx);
        await dropInvitations(actor.organization.id, ids, tx);
        const label = { User: 'users', Auditor: 'auditors', Admin: 'admins' }[role];
        await note(tx, context, actor.organization, { [label]: [[], users.map(displayName)] });
        return users.map(({ id, username, name }) => ({ id, username, name, state: 'member' }));
      });
    },
  });

  /** Invitations of the current organization for its administrators, and those to the caller. */
  const ways = [
    {
      base: '/api/v1/users/users/invitations/',
      access: Permission.ADMIN,
      whose:
        'Invitations of the current organization that nobody answered, the expired ones for two weeks more.',
      end: 'Withdraw an invitation.',
      of: ({ actor }: Context) => ofOrganization(actor.organization.id),
    },
    {
      base: '/api/v1/users/profile/invitations/',
      access: Permission.USE,
      whose: 'Invitations that wait for the own answer.',
      end: 'Decline an invitation.',
      of: ({ actor }: Context) => ofUser(actor.userId),
    },
  ];
  for (const { base, access, whose, end, of } of ways) {
    route(app, {
      method: 'GET',
      url: base,
      access,
      summary: whose,
      answer: samples<readonly Invitation[]>([INVITATION, { ...INVITATION, state: 'expired' }]),
      handler: async (context): Promise<Invitation[]> =>
        presentAll(await listInvitations(of(context), db), context.zone),
    });
    route(app, {
      method: 'DELETE',
      url: `${base}:invitation/`,
      access,
      summary: end,
      status: 204,
      async handler(context) {
        assertSignedIn(context);
        await transact(db, async (tx) => {
          const invitation = await takeInvitation(
            parameter(context, 'invitation'),
            of(context),
            tx,
          );
          await note(
            tx,
            context,
            { id: invitation.organization_id, name: invitation.organization },
            { invited: [[invitation.account], []] },
          );
        });
        context.reply.code(204);
      },
    });
  }

  route(app, {
    method: 'POST',
    url: '/api/v1/users/profile/invitations/:invitation/accept/',
    access: Permission.USE,
    summary: 'Accept an invitation: become an ordinary member of the organization.',
    status: 204,
    async handler(context) {
      assertSignedIn(context);
      const { actor } = context;
      await transact(db, async (tx) => {
        await lockGrants(organization, tx);
        const invitation = await takeInvitation(
          parameter(context, 'invitation'),
          ofUser(actor.userId),
          tx,
        );
        await addMemberOnce(invitation.organization_id, actor.userId, 'User', tx);
        await note(
          tx,
          context,
          { id: invitation.organization_id, name: invitation.organization },
          { users: [[], [displayName(actor)]] },
        );
      });
      context.reply.code(204);
    },
  });
}
