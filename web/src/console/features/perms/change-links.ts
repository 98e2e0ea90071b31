import type { assetPermission, Row } from '@sallyport/contract';
import { changePairs } from '../../resource/detail/change-pairs.ts';
import { agreeToAccess } from '../access/agree-to-access.ts';

export type Rule = Row<typeof assetPermission>;

export type Linked = 'users' | 'user_groups' | 'assets' | 'nodes' | 'system_users';

/** The name that the link endpoints use for each linked object. */
const KEYS = {
  users: 'user',
  user_groups: 'usergroup',
  assets: 'asset',
  nodes: 'node',
  system_users: 'systemuser',
} as const;

/**
 * Saves only the difference: another administrator may have changed the permission since this page
 * was loaded. Asks for confirmation when the access of many users changes.
 */
export async function changeLinks(
  rule: Rule,
  field: Linked,
  after: readonly string[],
): Promise<void> {
  const {
    id,
    users,
    user_groups,
    assets,
    nodes,
    system_users,
    actions,
    is_active,
    date_start,
    date_expired,
  } = rule;
  const terms = {
    users,
    user_groups,
    assets,
    nodes,
    system_users,
    actions,
    is_active,
    date_start,
    date_expired,
    [field]: after,
  };
  if (!(await agreeToAccess({ action: 'save', resource: 'asset_permission', ids: [id], ...terms })))
    throw new Error('not confirmed');
  await changePairs({
    owner: 'assetpermission',
    field,
    before: rule[field],
    after,
    pairOf: (one) => ({ assetpermission: id, [KEYS[field]]: one }),
  });
}
