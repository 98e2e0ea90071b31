import { boolean, Permission, secret, text, user } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { PublicContext } from '../../../http/context.ts';
import { publicRoute, readBody, route } from '../../../http/route.ts';
import { rowOf } from '../../../http/shapes.ts';
import { hashPassword } from '../../../platform/crypto/password.ts';
import { type Db, transact } from '../../../platform/db/database.ts';
import { Invalid, invalid, Rejected } from '../../../platform/errors.ts';
import type { Logger } from '../../../platform/log.ts';
import type { SettingsService } from '../../../platform/settings/service.ts';
import { type Engines, engineOf } from '../../../resources/engines.ts';
import type { AuditWriter } from '../../../resources/hooks.ts';
import { writePasswordChange } from '../../audits/index.ts';
import type { Mailer } from '../../mail/index.ts';
import { accountEntry, assertMailResets, managedAccount } from '../accounts/managed-account.ts';
import { completeFirstSignIn, localAccountByEmail, setPassword } from '../accounts/store.ts';
import type { Mails } from '../mail/jobs.ts';
import { assertOwnPage } from '../sign-in/cookies.ts';
import type { Lockout } from '../sign-in/lockout.ts';
import type { RateLimit } from '../sign-in/rate-limit.ts';
import { assertSignedIn } from '../sign-in-sessions/current.ts';
import { endAllAccess } from '../sign-in-sessions/store.ts';
import { deleteAllSshKeys } from '../ssh-keys/store.ts';
import { isFormerPassword } from './former.ts';
import { accountOfToken, dropResetTokens } from './reset-links.ts';
import { passwordProblem } from './rules.ts';

export interface PasswordOptions {
  readonly db: Db;
  readonly engines: Engines;
  readonly settings: SettingsService;
  readonly lockout: Lockout;
  readonly mailer: Mailer;
  readonly mails: Mails;
  readonly audit: AuditWriter;
  readonly limit: RateLimit;
  readonly publicUrl: string | undefined;
  readonly log: Logger;
}

const EMAIL = {
  email: text({ label: user.fields.email.label, max: 128, format: 'email' }),
};
const RESET = {
  token: secret({ label: { en: 'Token', zh: '令牌' }, max: 100, required: true }),
  new_password: secret({ label: { en: 'New password', zh: '新密码' }, max: 128, required: true }),
  agreed: boolean({ label: { en: 'Agreed to recording', zh: '同意录像' }, required: false }),
};
const SENT = {
  en: 'If an account has this address, we sent an email with a link to it.',
  zh: '如果该邮箱对应的账号存在，重置密码的链接将发送到该邮箱。',
};

function assertCanMail({ mailer }: PasswordOptions): void {
  if (!mailer.isConfigured()) throw new Rejected('mail_not_configured');
}

/** Mails a link to the account with an address. */
async function askForLink(
  options: PasswordOptions,
  context: PublicContext,
): Promise<{ readonly msg: string }> {
  const { db, publicUrl } = options;
  await options.limit(context);
  assertOwnPage(context, publicUrl);
  const { email } = readBody(context, EMAIL);
  // Fails for every address alike, so it reveals nothing about accounts.
  assertCanMail(options);
  // Not awaited: response and timing are the same with and without such an account.
  void localAccountByEmail(email, db)
    .then((id) =>
      id === undefined
        ? undefined
        : options.mails.enqueue(
            { kind: 'password_reset', userId: id, language: context.language },
            db,
          ),
    )
    .catch((error: unknown) =>
      options.log.error({ error: String(error) }, 'a password reset link could not be requested'),
    );
  return { msg: SENT[context.language] };
}

/** Changes the password of the account that the token of a link belongs to. */
async function chooseByLink(options: PasswordOptions, context: PublicContext) {
  const { db, settings, publicUrl } = options;
  await options.limit(context);
  assertOwnPage(context, publicUrl);
  const { token, new_password: password, agreed } = readBody(context, RESET);
  const account = await transact(db, async (tx) => {
    const owner = await accountOfToken(token, tx);
    if (!owner) throw new Rejected('reset_link_invalid');
    // A password that breaks the rules does not use up the link.
    const problem = await passwordProblem(password, {
      settings,
      language: context.language,
      aboutOwner: [owner.username, owner.name],
    });
    if (problem) throw new Invalid({ new_password: [problem] });
    const former = settings.get('SECURITY_PASSWORD_HISTORY');
    if (await isFormerPassword(owner.id, password, former, tx))
      throw invalid('new_password', 'password_former');
    await setPassword(owner.id, await hashPassword(password), tx);
    if (agreed) await completeFirstSignIn(owner.id, tx);
    await dropResetTokens(owner.id, tx);
    await endAllAccess(tx, owner.id);
    await writePasswordChange(
      tx,
      { actor: { ...owner, remoteAddress: context.request.ip } },
      owner.id,
    );
    return owner;
  });
  await options.lockout.passwordRenewed(account.username);
  return {};
}

/** Routes for forgotten passwords: requesting a link, using it, and sending one to another user. */
export function mountPasswords(app: FastifyInstance, options: PasswordOptions): void {
  const { db, engines, audit } = options;
  publicRoute(app, {
    method: 'POST',
    url: '/core/auth/password/forgot/',
    summary: 'Request a password reset link.',
    body: EMAIL,
    bodyLimit: 65_536,
    handler: (context) => askForLink(options, context),
  });

  publicRoute(app, {
    method: 'POST',
    url: '/core/auth/password/reset/',
    summary: 'Set a new password with the token of a link.',
    body: RESET,
    bodyLimit: 65_536,
    handler: (context) => chooseByLink(options, context),
  });

  route(app, {
    method: ['PUT', 'PATCH'],
    url: '/api/v1/users/users/:id/password/reset/',
    access: Permission.ADMIN,
    area: 'users',
    summary: 'Send a password reset link.',
    answer: rowOf(user),
    async handler(context) {
      assertSignedIn(context);
      const account = await managedAccount(context, 'password', options);
      if (account.source !== 'local') throw new Rejected('not_local', { source: account.source });
      assertMailResets(account);
      assertCanMail(options);
      await transact(db, async (tx) => {
        await options.mails.enqueue(
          { kind: 'password_reset', userId: account.id, language: context.language },
          tx,
        );
        await audit(tx, context, accountEntry(account, { password_link: [null, 'mailed'] }));
      });
      return engineOf(engines, user).reader.retrieve(account.id, context);
    },
  });

  route(app, {
    method: ['PUT', 'PATCH'],
    url: '/api/v1/users/users/:id/pubkey/reset/',
    access: Permission.ADMIN,
    area: 'users',
    summary: 'Remove the SSH keys of an account and notify its user.',
    answer: rowOf(user),
    async handler(context) {
      assertSignedIn(context);
      const account = await managedAccount(context, 'public_key', options);
      assertCanMail(options);
      await transact(db, async (tx) => {
        await deleteAllSshKeys(account.id, tx);
        await options.mails.enqueue(
          { kind: 'public_key_reset', userId: account.id, language: context.language },
          tx,
        );
        await audit(tx, context, accountEntry(account, { public_key: ['******', null] }));
      });
      return engineOf(engines, user).reader.retrieve(account.id, context);
    },
  });
}
