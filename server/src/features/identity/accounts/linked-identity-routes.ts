import {
  choice,
  formatDatetime,
  type LinkedIdentities,
  Permission,
  secret,
  user,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { readBody, route } from '../../../http/route.ts';
import { samples } from '../../../http/shapes.ts';
import { assertConfirmed, type ConfirmServices } from '../mfa/confirmed.ts';
import { assertSignedIn } from '../sign-in-sessions/current.ts';
import {
  createLinkedIdentities,
  type LinkedIdentityOptions,
  type WayAfter,
} from './linked-identities.ts';
import { managedAccount } from './managed-account.ts';
import { ISSUER, SOURCE } from './provider-links.ts';
import { sourceOf } from './store.ts';

const PASSWORD = secret({ label: user.fields.password.label, max: 1024 });
const WHICH = { source: SOURCE, issuer: ISSUER };
const OWN = { ...WHICH, password: PASSWORD };
const MANAGED = {
  ...WHICH,
  way: choice({
    label: { en: 'Sign-in method afterwards', zh: '之后的登录方式' },
    required: false,
    choices: [
      {
        value: 'link',
        label: { en: 'Email a setup link', zh: '发送设置密码的链接' },
      },
      { value: 'password', label: { en: 'Set a password', zh: '设置密码' } },
    ],
  }),
  password: PASSWORD,
};

const IDENTITIES: LinkedIdentities = {
  identities: [
    {
      source: 'openid',
      issuer: 'https://login.example.com',
      subject: 'li.wei',
      date_created: '2026-01-01 08:30:00 +0800',
      date_used: '2026-01-31 08:30:00 +0800',
      is_last_way: true,
    },
  ],
  sign_ins: 2,
  access_keys: 1,
  sessions: 1,
};

/**
 * Routes that list and unlink identities at identity providers: for the user, and for
 * administrators.
 */
export function mountLinkedIdentities(
  app: FastifyInstance,
  options: LinkedIdentityOptions & ConfirmServices,
): void {
  const service = createLinkedIdentities(options);
  const own = '/api/v1/users/profile/identities/';
  const managed = '/api/v1/users/users/:id/identities/';
  const answer = samples<LinkedIdentities>(IDENTITIES);

  route(app, {
    method: 'GET',
    url: own,
    access: Permission.USE,
    area: 'own',
    summary: 'List your linked identities.',
    answer,
    async handler({ actor, zone }): Promise<LinkedIdentities> {
      const source = await sourceOf(actor.userId, options.db);
      return service.of({ id: actor.userId, source }, (date) => formatDatetime(date, zone));
    },
  });

  route(app, {
    method: 'POST',
    url: `${own}end/`,
    access: Permission.USE,
    area: 'own',
    summary: 'Unlink one of your identities. Requires recent proof of identity.',
    body: OWN,
    status: 204,
    async handler(context) {
      const { source, issuer, password } = readBody(context, OWN);
      await assertConfirmed(context, password, options);
      await service.endOwn({ source, issuer }, context);
      context.reply.code(204);
    },
  });

  route(app, {
    method: 'GET',
    url: managed,
    access: Permission.ADMIN,
    area: 'users',
    summary: 'List the linked identities of an account, and what unlinking them would end.',
    answer,
    async handler(context): Promise<LinkedIdentities> {
      return service.of(await managedAccount(context, 'source', options), (date) =>
        formatDatetime(date, context.zone),
      );
    },
  });

  route(app, {
    method: 'POST',
    url: `${managed}end/`,
    access: Permission.ADMIN,
    area: 'users',
    summary:
      'Unlink an identity of an account, and end its sign-ins and access keys. An account without another way to sign in becomes local.',
    body: MANAGED,
    status: 204,
    async handler(context) {
      assertSignedIn(context);
      const { source, issuer, way, password = '' } = readBody(context, MANAGED);
      const account = await managedAccount(context, 'source', options);
      const after: WayAfter =
        way === 'password'
          ? { kind: 'password', password: password }
          : way === 'link'
            ? { kind: 'link' }
            : undefined;
      await service.end(account, { source, issuer }, after, context);
      context.reply.code(204);
    },
  });
}
