import { formatDatetime, many, Permission } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { exampleId } from '../../../http/openapi/examples.ts';
import { readBody, route } from '../../../http/route.ts';
import { samples } from '../../../http/shapes.ts';
import { transact } from '../../../platform/db/database.ts';
import { invalid } from '../../../platform/errors.ts';
import type { Engines } from '../../../resources/engines.ts';
import type { ResourceServices } from '../../../resources/hooks.ts';
import { accountEntry, managedAccount } from '../../identity/index.ts';
import { assignable } from '../store.ts';
import { keepReviewers, reviewersInWords } from './store.ts';

/** Maximum reviewers per user. */
const MOST_REVIEWERS = 20;

const FIELDS = {
  reviewers: many({ label: { en: 'Reviewers', zh: '复核人' }, to: 'user', required: true }),
};

/** The answer to GET and PATCH. */
interface LoginConfirmSettings {
  readonly id: string;
  readonly user: string;
  readonly reviewers: readonly string[];
  readonly date_created: string;
  readonly date_updated: string;
}

const MOMENT = '2026-01-31 08:30:00 +0800';

/** The reviewers of a user's sign-ins. */
export function mountReviewers(
  app: FastifyInstance,
  { db, engines, audit }: Pick<ResourceServices, 'db' | 'audit'> & { readonly engines: Engines },
): void {
  route(app, {
    // The only field is required, so PUT and PATCH are the same.
    method: ['PUT', 'PATCH'],
    url: '/api/v1/authentication/login-confirm-settings/:id/',
    access: Permission.ADMIN,
    area: 'rules',
    summary:
      'Set the users who confirm the sign-ins of a user. An empty list removes the confirmation.',
    body: FIELDS,
    answer: samples<LoginConfirmSettings>({
      id: exampleId('login_confirm_setting'),
      user: exampleId('user'),
      reviewers: [exampleId('user')],
      date_created: MOMENT,
      date_updated: MOMENT,
    }),
    async handler(context): Promise<LoginConfirmSettings> {
      const account = await managedAccount(context, 'factors', { engines, db });
      const { reviewers } = readBody(context, FIELDS);
      if (reviewers.length > MOST_REVIEWERS)
        throw invalid('reviewers', 'list_too_long', { max: MOST_REVIEWERS });
      if (reviewers.includes(account.id)) throw invalid('reviewers', 'reviewer_self');
      const known = await assignable(reviewers, context.actor, true, db);
      const unknown = reviewers.find((id) => !known.has(id));
      if (unknown) throw invalid('reviewers', 'unknown_object', { value: unknown });
      const kept = await transact(db, async (tx) => {
        const before = await reviewersInWords(account.id, tx);
        const stored = await keepReviewers(account.id, reviewers, tx);
        await audit(
          tx,
          context,
          accountEntry(account, {
            login_confirm_reviewers: [before, await reviewersInWords(account.id, tx)],
          }),
        );
        return stored;
      });
      const [created, updated] = [
        formatDatetime(kept.date_created, context.zone),
        formatDatetime(kept.date_updated, context.zone),
      ];
      return {
        id: kept.id,
        user: kept.user,
        reviewers: kept.reviewers,
        date_created: created,
        date_updated: updated,
      };
    },
  });
}
