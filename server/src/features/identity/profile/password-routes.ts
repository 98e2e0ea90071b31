import { type Problem, secret } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { readBody, route } from '../../../http/route.ts';
import { hashPassword } from '../../../platform/crypto/password.ts';
import { transact } from '../../../platform/db/database.ts';
import { Invalid, Rejected } from '../../../platform/errors.ts';
import { writePasswordChange } from '../../audits/index.ts';
import { setPassword, sourceOf } from '../accounts/store.ts';
import { isFormerPassword } from '../password/former.ts';
import { passwordProblem } from '../password/rules.ts';
import { assertSignedIn } from '../sign-in-sessions/current.ts';
import { endAllAccess, endedKeys } from '../sign-in-sessions/store.ts';
import { NOTHING } from '../wire-shapes.ts';
import type { ProfileServices } from './profile.ts';

const URL = '/api/v1/users/profile/password/';

const password = (en: string, zh: string) =>
  secret({ label: { en, zh }, max: 128, required: true });
const example = 'correct-Horse-7-battery';
const PASSWORDS = {
  old_password: password('Old password', '原密码'),
  new_password: { ...password('New password', '新密码'), example },
  new_password_again: { ...password('New password again', '确认新密码'), example },
};

/** Routes that change the own password. */
export function mountOwnPassword(app: FastifyInstance, services: ProfileServices): void {
  const { db, settings } = services;
  route(app, {
    method: 'GET',
    url: URL,
    access: 'signed-in',
    area: 'own',
    summary: 'Returns an empty object (kept for existing clients).',
    answer: NOTHING,
    handler: () => ({}),
  });
  route(app, {
    method: ['PUT', 'PATCH'],
    url: URL,
    access: 'signed-in',
    area: 'own',
    summary: 'Change your password. Ends all your other sign-ins and your access keys.',
    body: PASSWORDS,
    answer: NOTHING,
    async handler(context) {
      assertSignedIn(context);
      const values = readBody(context, PASSWORDS);
      const { actor } = context;
      const source = await sourceOf(actor.userId, db);
      if (source !== 'local') throw new Rejected('not_local', { source });
      const problems: Record<string, Problem[]> = {};
      await services.signIns
        .confirmPassword(actor, values.old_password, 'old_password')
        .catch((error: unknown) => {
          if (!(error instanceof Invalid)) throw error;
          Object.assign(problems, error.problems);
        });
      const problem = await passwordProblem(values.new_password, {
        settings,
        language: context.language,
        aboutOwner: [actor.username, actor.name],
      });
      if (problem) problems.new_password = [problem];
      else if (values.new_password === values.old_password)
        problems.new_password = [{ code: 'password_same' }];
      else if (
        !problems.old_password &&
        (await isFormerPassword(
          actor.userId,
          values.new_password,
          settings.get('SECURITY_PASSWORD_HISTORY'),
          db,
        ))
      )
        problems.new_password = [{ code: 'password_former' }];
      if (values.new_password !== values.new_password_again)
        problems.new_password_again = [{ code: 'password_mismatch' }];
      if (Object.keys(problems).length > 0) throw new Invalid(problems);
      const hashed = await hashPassword(values.new_password);
      await transact(db, async (tx) => {
        await setPassword(actor.userId, hashed, tx);
        const ended = await endAllAccess(tx, actor.userId, actor.session.id);
        await writePasswordChange(tx, context, actor.userId);
        await services.audit(tx, context, {
          action: 'update',
          resourceType: 'user',
          resource: `${actor.name}(${actor.username})`,
          resourceId: actor.userId,
          changes: { password: ['******', '******'], ...endedKeys(ended) },
        });
      });
      return {};
    },
  });
}
