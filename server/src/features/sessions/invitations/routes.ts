import {
  type AcceptedInvitation,
  boolean,
  choice,
  INVITATION_MINUTES,
  type LocalText,
  type NewSessionInvitation,
  Permission,
  type SessionInvitation,
  type SessionSharing,
  session,
  text,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { parameter, readBody, route } from '../../../http/route.ts';
import { listOf, samples } from '../../../http/shapes.ts';
import { type Engines, engineOf } from '../../../resources/engines.ts';
import type { InvitationService } from './service.ts';

const OWN = '/api/v1/terminal/own-sessions/:id/invitations/';
const UNTIL_THE_END: LocalText = { en: 'Until the session ends', zh: '直到会话结束' };
const MAY_TYPE = { en: 'May type', zh: '可以输入' };
const INVITATION = {
  may_type: boolean({ label: MAY_TYPE, required: false, defaultValue: false }),
  minutes: choice({
    label: { en: 'Valid for', zh: '有效期' },
    choices: INVITATION_MINUTES.map((minutes) => ({
      value: String(minutes),
      label: minutes === 0 ? UNTIL_THE_END : { en: `${minutes} min`, zh: `${minutes} 分钟` },
    })),
  }),
  for_username: text({
    label: { en: 'Only for the user (username)', zh: '仅限用户（用户名）' },
    max: 128,
    required: false,
    defaultValue: '',
    example: 'alice',
  }),
};
const TYPING = { may_type: boolean({ label: MAY_TYPE, required: true }) };
const SECRET = {
  secret: text({
    label: { en: 'Secret of the link', zh: '链接中的密钥' },
    max: 64,
    example: 'Zk3yT0…',
  }),
};
const EXAMPLE: SessionInvitation = {
  id: '2f0f5c1e-5f2f-4c36-9f4e-0c5f6f1d2b3a',
  may_type: true,
  for_username: null,
  guest: 'Alice(alice)',
  state: 'joined',
  date_created: '2026-01-31 08:30:00 +0800',
  date_expired: '2026-01-31 08:45:00 +0800',
  date_accepted: '2026-01-31 08:31:00 +0800',
  date_joined: '2026-01-31 08:31:02 +0800',
  date_left: null,
  remote_addr: '192.0.2.10',
  date_ended: null,
  end_reason: null,
};
const FRESH: SessionInvitation = {
  ...EXAMPLE,
  for_username: 'alice',
  guest: null,
  state: 'open',
  date_expired: null,
  date_accepted: null,
  date_joined: null,
  remote_addr: null,
};
const ENDED: SessionInvitation = {
  ...EXAMPLE,
  state: 'ended',
  date_left: '2026-01-31 08:40:00 +0800',
  date_ended: '2026-01-31 08:45:00 +0800',
  end_reason: 'invitation_expired',
};

/** Invitations of colleagues into running web terminals, for owners, guests and auditors. */
export function mountInvitations(
  app: FastifyInstance,
  options: { readonly engines: Engines; readonly invitations: InvitationService },
): void {
  mountOwnInvitations(app, options.invitations);
  mountGuests(app, options);
}

/** Routes of owners: list, create, change and end the invitations of a session. */
function mountOwnInvitations(app: FastifyInstance, invitations: InvitationService): void {
  route(app, {
    method: 'GET',
    url: OWN,
    access: Permission.USE,
    summary: 'The invitations into a running web terminal of the caller.',
    answer: samples<SessionSharing>({ is_allowed: true, invitations: [EXAMPLE, FRESH, ENDED] }),
    handler: async (context): Promise<SessionSharing> => ({
      is_allowed: invitations.isAllowed(),
      invitations: await invitations.own(parameter(context, 'id'), context),
    }),
  });
  route(app, {
    method: 'POST',
    url: OWN,
    access: Permission.USE,
    summary:
      'Invite a colleague into a running web terminal of the caller. The secret of the link is in this answer only.',
    body: INVITATION,
    status: 201,
    answer: samples<NewSessionInvitation>(
      { ...EXAMPLE, secret: 'Zk3yT0…' },
      { ...FRESH, secret: 'Zk3yT0…' },
    ),
    async handler(context): Promise<NewSessionInvitation> {
      const { may_type, minutes, for_username } = readBody(context, INVITATION);
      const request = {
        mayType: may_type ?? false,
        minutes: Number(minutes),
        forUsername: for_username?.trim() || null,
      };
      const created = await invitations.create(parameter(context, 'id'), request, context);
      context.reply.code(201);
      return created;
    },
  });
  route(app, {
    method: 'PATCH',
    url: `${OWN}:invitation/`,
    access: Permission.USE,
    summary: 'Allow or forbid the guest of an invitation to type.',
    body: TYPING,
    status: 204,
    async handler(context) {
      await invitations.allowTyping(
        parameter(context, 'id'),
        parameter(context, 'invitation'),
        readBody(context, TYPING).may_type,
        context.actor,
      );
      context.reply.code(204);
    },
  });
  route(app, {
    method: 'DELETE',
    url: `${OWN}:invitation/`,
    access: Permission.USE,
    summary: 'End an invitation and the connection of its guest.',
    status: 204,
    async handler(context) {
      await invitations.revoke(
        parameter(context, 'id'),
        parameter(context, 'invitation'),
        context.actor,
      );
      context.reply.code(204);
    },
  });
}

/** Routes of guests and auditors. */
function mountGuests(
  app: FastifyInstance,
  { engines, invitations }: { readonly engines: Engines; readonly invitations: InvitationService },
): void {
  route(app, {
    method: 'POST',
    url: '/api/v1/terminal/invitations/accept/',
    access: Permission.USE,
    summary:
      'Accept an invitation by the secret of its link. The caller then joins at `/ws/guest/`.',
    body: SECRET,
    answer: samples<AcceptedInvitation>({
      invitation: EXAMPLE.id,
      session: '6c0c5d5e-9a53-4f1c-8f0b-7b0b1a3c9d11',
      user: 'Bob(bob)',
      asset: 'web-prod-01',
      system_user: 'deploy(deploy)',
      may_type: true,
    }),
    handler: async (context): Promise<AcceptedInvitation> =>
      invitations.accept(readBody(context, SECRET).secret, context.actor, {
        userId: context.actor.userId,
        remoteAddr: context.actor.remoteAddress,
        loginFrom: 'WT',
        loginId: context.actor.session.id,
      }),
  });
  route(app, {
    method: 'GET',
    url: '/api/v1/terminal/sessions/:id/invitations/',
    access: Permission.AUDIT,
    area: 'logs',
    summary: 'The invitations into a session and their guests, the latest first.',
    answer: listOf(samples<SessionInvitation>(EXAMPLE, FRESH, ENDED)),
    async handler(context): Promise<SessionInvitation[]> {
      const row = await engineOf(engines, session).reader.retrieve(
        parameter(context, 'id'),
        context,
      );
      return invitations.of(String(row.id), context.zone);
    },
  });
}
