import {
  adminUser,
  asset,
  assetPermission,
  assetUser,
  commandFilter,
  domain,
  gateway,
  node,
  organization,
  platform,
  type Resource,
  systemUser,
  user,
  userGroup,
} from '@sallyport/contract';
import type { Kind } from './description.ts';

/** The resource that each kind of object is written to. */
export const RESOURCES: Readonly<Record<Kind, Resource>> = {
  organization,
  platform,
  user,
  membership: organization,
  user_group: userGroup,
  domain,
  gateway,
  node,
  admin_user: adminUser,
  system_user: systemUser,
  asset,
  asset_user: assetUser,
  asset_permission: assetPermission,
  command_filter: commandFilter,
};
