import { type Invitation, type Invited, organization, Permission } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../../http/context.ts';
import { exampleId } from '../../../http/openapi/examples.ts';
import { parameter, route } from '../../../http/route.ts';
import { samples } from '../../../http/shapes.ts';
import { displayName } from '../../../platform/actor.ts';
import { transact } from '../../../platform/db/database.ts';
import { addMemberOnce } from '../../orgs/index.ts';
import { assertSignedIn } from '../sign-in-sessions/current.ts';
import { INVITE_FIELDS, type InvitationOptions, invite, note } from './invite.ts';
import { listInvitations, ofOrganization, ofUser, presentAll, takeInvitation } from './store.ts';

const INVITATION: Invitation = {
  id: exampleId('invitation'),
  account: 'li.wei@example.com',
  organization: 'Shop',
  invited_by: 'Anna Berg(anna)',
  state: 'open',
  date_created: '2026-01-31 08:30:00 +0800',
  date_expired: '2026-02-14 08:30:00 +0800',
};

/** Invitations of the current organization for its administrators, and those to the caller. */
const SIDES = [
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
] as const;
type Side = (typeof SIDES)[number];

async function showInvitations({ db }: InvitationOptions, context: Context, { of }: Side) {
  return presentAll(await listInvitations(of(context), db), context.zone);
}

/** Withdraws or declines an invitation. */
async function endInvitation(options: InvitationOptions, context: Context, { of }: Side) {
  assertSignedIn(context);
  await transact(options.db, async (tx) => {
    const id = parameter(context, 'invitation');
    const { organization_id, organization, account } = await takeInvitation(id, of(context), tx);
    const where = { id: organization_id, name: organization };
    await note({ ...options, tx }, context, where, { invited: [[account], []] });
  });
  context.reply.code(204);
}

/** Makes the caller a member of the organization that invites. */
async function acceptInvitation(options: InvitationOptions, context: Context) {
  assertSignedIn(context);
  const { actor } = context;
  await transact(options.db, async (tx) => {
    await options.lockGrants(organization, tx);
    const id = parameter(context, 'invitation');
    const invitation = await takeInvitation(id, ofUser(actor.userId), tx);
    await addMemberOnce(invitation.organization_id, actor.userId, 'User', tx);
    const where = { id: invitation.organization_id, name: invitation.organization };
    await note({ ...options, tx }, context, where, { users: [[], [displayName(actor)]] });
  });
  context.reply.code(204);
}

/**
 * Routes that add existing accounts to the current organization: at once for administrators of the
 * installation, with the user's consent for others.
 */
export function mountInvitations(app: FastifyInstance, options: InvitationOptions): void {
  route(app, {
    method: 'POST',
    url: '/api/v1/users/users/invite/',
    access: Permission.ADMIN,
    summary:
      'Add accounts to the current organization by exact username or email address. Invited people must accept first.',
    body: INVITE_FIELDS,
    answer: samples<readonly Invited[]>([
      { id: exampleId('user'), username: 'li.wei', name: 'Li Wei', state: 'member' },
      { id: exampleId('user'), username: 'li.wei', name: '', state: 'invited' },
    ]),
    status: 201,
    handler: (context) => invite(options, context),
  });
  for (const side of SIDES) {
    route(app, {
      method: 'GET',
      url: side.base,
      access: side.access,
      summary: side.whose,
      answer: samples<readonly Invitation[]>([INVITATION, { ...INVITATION, state: 'expired' }]),
      handler: (context) => showInvitations(options, context, side),
    });
    route(app, {
      method: 'DELETE',
      url: `${side.base}:invitation/`,
      access: side.access,
      summary: side.end,
      status: 204,
      handler: (context) => endInvitation(options, context, side),
    });
  }
  route(app, {
    method: 'POST',
    url: '/api/v1/users/profile/invitations/:invitation/accept/',
    access: Permission.USE,
    summary: 'Accept an invitation: become an ordinary member of the organization.',
    status: 204,
    handler: (context) => acceptInvitation(options, context),
  });
}
