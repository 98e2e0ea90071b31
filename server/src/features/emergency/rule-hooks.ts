import { emergencyAccess, type Problem } from '@sallyport/contract';
import { invalid } from '../../platform/errors.ts';
import { hooksFor } from '../../resources/hooks.ts';
import { ableToReview } from './store.ts';

/** Maximum reviewers of a rule. */
const MOST_REVIEWERS = 20;

/**
 * The hooks of emergency access rules. Reviewers must be allowed to watch and replay sessions of
 * the organization.
 */
export const emergencyAccessHooks = hooksFor(emergencyAccess, {
  async refuseLinks(field, ids, { caller: { actor }, tx }) {
    const refused = new Map<string, Problem>();
    if (field !== 'reviewers') return refused;
    const able = await ableToReview(ids, actor.organization.id, tx);
    for (const id of ids) if (!able.has(id)) refused.set(id, { code: 'reviewer_cannot_watch' });
    return refused;
  },
  beforeSave({ reviewers = [] }) {
    if (reviewers.length > MOST_REVIEWERS)
      throw invalid('reviewers', 'list_too_long', { max: MOST_REVIEWERS });
  },
});
