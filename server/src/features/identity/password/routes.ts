import { type Fields, Permission, secret, text, user } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { Invalid, Refusal } from '../../../http/problem.ts';
import type { AuditWriter } from '../../../http/resource/hooks.ts';
import { type Engines, engineOf } from '../../../http/resource/mount.ts';
import { publicRoute, readBody, route } from '../../../http/route.ts';
import { rowOf } from '../../../http/shapes.ts';
import { hashPassword } from '../../../platform/crypto/password.ts';
import type { Db } from '../../../platform/db/database.ts';
import type { Logger } from '../../../platform/log.ts';
import { writePasswordChange } from '../../audits/password-change-log.ts';
import type { SettingsService } from '../../settings/service.ts';
import type { Lockout } from '../lockout.ts';
import { enqueueMail } from '../mail/jobs.ts';
import type { Mailer } from '../mail/mailer.ts';
import { accountEntry, managedAccount } from '../managed-account.ts';
import { passwordProblem } from '../password-rules.ts';
import type { RateLimit } from '../rate-limit.ts';
import { assertOwnPage } from '../sign-in/cookies.ts';
import { endOtherSignIns } from '../sign-ins.ts';
import { assertSignedIn } from '../signed-in.ts';
import { accountOfToken, dropResetTokens } from './reset-links.ts';

export interface PasswordOptions {
  readonly db: Db;
  readonly engines: Engines;
  readonly settings: SettingsService;
  readonly lockout: Lockout;
  readonly mailer: Mailer;
  readonly audit: AuditWriter;
  readonly limit: RateLimit;
  readonly publicUrl: string | undefined;
  readonly log: Logger;
}

const EMAIL: Fields = { email: text({ label: user.fields.email.label, max: 128, format: 'email' }) };
const RESET: Fields = {
  token: { ...secret({ label: { en: 'Token', zh: '令牌' }, max: 100 }), required: true },
  new_password: { ...secret({ label: { en: 'New password', zh: '新密码' }, max: 128 }), required: true },
};
const SENT = {
  en: 'If an account has this address, a mail with a link is on its way to it.',
  zh: '如果该邮箱对应的账号存在，重置密码的链接将发送到该邮箱。',
};

/** Forgotten passwords: asking for a link, using it, and sending one to somebody. */
export function mountPasswords(app: FastifyInstance, options: PasswordOptions): void {
  const { db, engines, settings, audit, publicUrl } = options;
  const assertCanMail = () => {
    if (!options.mailer.isConfigured()) throw new Refusal(400, 'mail_not_configured', {}, { error: 'mail_not_configured' });
  };

  publicRoute(app, {
    method: 'POST',
    url: '/core/auth/password/forgot/',
    summary: 'Ask for a link to choose a new password.',
    body: EMAIL,
    bodyLimit: 65_536,
    handler(context) {
      options.limit(context);
      assertOwnPage(context, publicUrl);
      const { email } = readBody(context);
      // The same for every address, so it tells nothing of accounts.
      assertCanMail();
      // Nothing is waited for: the answer and its time are the same, whether there is such an account or not.
      void sql<{ id: string }>`
        select id from account where lower(email) = lower(${String(email)}) and source = 'local' and is_active and coalesce(date_expired > now(), true)`
        .execute(db)
        .then(({ rows }) => (rows[0] ? enqueueMail('password_reset', rows[0].id, context.language, db) : undefined))
        .catch((error: unknown) => options.log.error({ error: String(error) }, 'a link for a password could not be asked for'));
      return { msg: SENT[context.language] };
    },
  });

  publicRoute(app, {
    method: 'POST',
    url: '/core/auth/password/reset/',
    summary: 'Choose a new password with the token of a link.',
    body: RESET,
    bodyLimit: 65_536,
    async handler(context) {
      options.limit(context);
      assertOwnPage(context, publicUrl);
      const { token, new_password } = readBody(context);
      const password = String(new_password);
      const account = await db.transaction().execute(async (tx) => {
        const found = await accountOfToken(String(token), tx);
        if (!found) throw new Refusal(400, 'reset_link_invalid');
        // A password that is not good enough does not use the link up.
        const problem = passwordProblem(password, settings, context.language);
        if (problem) throw new Invalid({ new_password: [problem] });
        await sql`update account set password = ${await hashPassword(password)}, date_password_last_updated = now() where id = ${found.id}`.execute(tx);
        await dropResetTokens(found.id, tx);
        await endOtherSignIns(tx, found.id);
        await writePasswordChange(tx, { actor: { ...found, remoteAddress: context.request.ip } }, found.id);
        return found;
      });
      await options.lockout.passwordRenewed(account.username);
      return {};
    },
  });

  route(app, {
    method: ['PUT', 'PATCH'],
    url: '/api/v1/users/users/:id/password/reset/',
    access: Permission.ADMIN,
    summary: 'Mail somebody a link to choose a new password.',
    answer: rowOf(user),
    async handler(context) {
      assertSignedIn(context);
      const account = await managedAccount(context, engines);
      if (account.source !== 'local') throw new Refusal(400, 'not_local', { source: account.source }, { error: 'not_local' });
      assertCanMail();
      await db.transaction().execute(async (tx) => {
        await enqueueMail('password_reset', account.id, context.language, tx);
        await audit(tx, context, accountEntry(account, { password_link: [null, 'mailed'] }));
      });
      return engineOf(engines, user).reader.retrieve(account.id, context);
    },
  });

  route(app, {
    method: ['PUT', 'PATCH'],
    url: '/api/v1/users/users/:id/pubkey/reset/',
    access: Permission.ADMIN,
    summary: "Remove somebody's SSH public key and tell them.",
    answer: rowOf(user),
    async handler(context) {
      assertSignedIn(context);
      const account = await managedAccount(context, engines);
      await db.transaction().execute(async (tx) => {
        await sql`update account set public_key = null where id = ${account.id}`.execute(tx);
        if (options.mailer.isConfigured()) await enqueueMail('public_key_reset', account.id, context.language, tx);
        await audit(tx, context, accountEntry(account, { public_key: ['******', null] }));
      });
      return engineOf(engines, user).reader.retrieve(account.id, context);
    },
  });
}
