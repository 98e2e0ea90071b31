import type { assetPermission, ConsequencesQuestion, Row } from '@sallyport/contract';
import { changePairs } from '../../resource/detail/change-pairs.ts';
import { agreeToAccess } from '../access/index.ts';

export type Rule = Row<typeof assetPermission>;

export type Linked = 'users' | 'user_groups' | 'assets' | 'nodes' | 'system_users';

/** Builds the question about the consequences of a change to a permission. */
export function questionAbout(rule: Rule, change: Partial<Rule>): ConsequencesQuestion {
  const { id, users, user_groups, assets, nodes, system_users } = rule;
  const { actions, is_active, date_start, date_expired } = rule;
  return {
    action: 'save',
    resource: 'asset_permission',
    ids: [id],
    users,
    user_groups,
    assets,
    nodes,
    system_users,
    actions,
    is_active,
    date_start,
    date_expired,
    ...change,
  };
}

/**
 * Saves only the difference: another administrator may have changed the permission since this page
 * was loaded. Asks for confirmation when the access of many users changes.
 */
export async function changeLinks(
  rule: Rule,
  field: Linked,
  after: readonly string[],
): Promise<void> {
  if (!(await agreeToAccess(questionAbout(rule, { [field]: after }))))
    throw new Error('not confirmed');
  await changePairs({
    owner: 'assetpermission',
    field,
    of: { assetpermission: rule.id },
    before: rule[field],
    after,
  });
}
