import {
  adminUser,
  asset,
  assetPermission,
  domain,
  node,
  type Resource,
  session,
  systemUser,
  user,
  userGroup,
} from '@sallyport/contract';

/** The content of a preview. */
export interface Preview {
  readonly resource: Resource;
  /** Field names; `state` stands for the state computed from the activity and the dates. */
  readonly facts: readonly string[];
}

const preview = <const R extends Resource<never> | Resource>(
  resource: R,
  ...facts: readonly ((keyof R['fields'] & string) | 'state')[]
): Preview => ({
  resource: resource as Resource,
  facts,
});

/** Facts that distinguish objects, by resource. */
export const PREVIEWS: Readonly<Partial<Record<string, Preview>>> = {
  user: preview(user, 'role_display', 'groups_display', 'last_login', 'state'),
  user_group: preview(userGroup, 'users_amount', 'comment'),
  asset: preview(asset, 'ip', 'platform', 'protocols', 'domain_display', 'is_active', 'comment'),
  node: preview(node, 'assets_amount'),
  domain: preview(domain, 'asset_count', 'gateway_count', 'comment'),
  admin_user: preview(adminUser, 'username', 'assets_amount', 'comment'),
  system_user: preview(
    systemUser,
    'username',
    'protocol',
    'login_mode_display',
    'assets_amount',
    'comment',
  ),
  asset_permission: preview(
    assetPermission,
    'users_amount',
    'user_groups_amount',
    'assets_amount',
    'nodes_amount',
    'date_expired',
    'state',
  ),
  session: preview(
    session,
    'user',
    'asset',
    'system_user',
    'date_start',
    'date_end',
    'command_amount',
  ),
};
