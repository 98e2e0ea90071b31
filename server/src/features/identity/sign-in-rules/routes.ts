import {
  conditionSentence,
  Permission,
  type SignInRuleSummary,
  say,
  termsOfSignIn,
  timeFailuresOf,
  user,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../../http/context.ts';
import { parameter, route } from '../../../http/route.ts';
import { listOf, samples } from '../../../http/shapes.ts';
import { databaseClock } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db/database.ts';
import { type Engines, engineOf } from '../../../resources/engines.ts';
import { joinReasons } from '../../perms/index.ts';
import { rulesOf } from './store.ts';

const ANSWER = listOf(
  samples<SignInRuleSummary>({
    name: 'Office hours',
    sentence: '10.0.0.0/8; Mon–Fri 08:00–18:00 Asia/Shanghai',
    otherwise: 'refuse',
    not_now: '',
  }),
);

/** Mounts the explanation of the sign-in rules that apply to an account. */
export function mountSignInRules(
  app: FastifyInstance,
  { db, engines }: { readonly db: Db; readonly engines: Engines },
): void {
  const summaries = async (userId: string, { language }: Context): Promise<SignInRuleSummary[]> =>
    (await rulesOf(userId, db)).map((rule) => {
      const terms = termsOfSignIn(rule);
      return {
        name: rule.name,
        sentence: say(conditionSentence(terms), language),
        otherwise: rule.otherwise,
        not_now: say(joinReasons(timeFailuresOf(terms, databaseClock.now())), language),
      };
    });
  route(app, {
    method: 'GET',
    url: '/api/v1/users/profile/sign-in-rules/',
    access: Permission.USE,
    area: 'own',
    summary: 'Your sign-in rules.',
    answer: ANSWER,
    handler: (context) => summaries(context.actor.userId, context),
  });
  route(app, {
    method: 'GET',
    url: '/api/v1/users/users/:id/sign-in-rules/',
    access: Permission.ADMIN,
    area: 'rules',
    summary: 'The sign-in rules of an account.',
    answer: ANSWER,
    async handler(context) {
      const id = parameter(context, 'id');
      // Accounts outside of the organization do not exist.
      await engineOf(engines, user).reader.retrieve(id, context);
      return summaries(id, context);
    },
  });
}
