import type { Resource } from '../kit/resource.ts';
import { adminUser } from './assets/admin-user.ts';
import { asset } from './assets/asset.ts';
import { commandFilter } from './assets/command-filter.ts';
import { commandFilterRule } from './assets/command-filter-rule.ts';
import { domain } from './assets/domain.ts';
import { gateway } from './assets/gateway.ts';
import { label } from './assets/label.ts';
import { node } from './assets/node.ts';
import { platform } from './assets/platform.ts';
import { systemUser } from './assets/system-user.ts';
import { ftpLog } from './audits/ftp-log.ts';
import { loginLog } from './audits/login-log.ts';
import { operateLog } from './audits/operate-log.ts';
import { passwordChangeLog } from './audits/password-change-log.ts';
import { accessKey } from './authentication/access-key.ts';
import { job } from './common/job.ts';
import { organization } from './orgs/organization.ts';
import { assetPermission } from './perms/asset-permission.ts';
import { command } from './terminal/command.ts';
import { commandStorage } from './terminal/command-storage.ts';
import { replayStorage } from './terminal/replay-storage.ts';
import { session } from './terminal/session.ts';
import { snippet } from './terminal/snippet.ts';
import { terminal } from './terminal/terminal.ts';
import { user } from './users/user.ts';
import { userGroup } from './users/user-group.ts';

/** Every resource of the product: the server mounts these, and a reference field may point at any of them. */
export const RESOURCES: readonly Resource[] = [
  organization,
  user,
  userGroup,
  platform,
  node,
  asset,
  adminUser,
  systemUser,
  domain,
  gateway,
  label,
  commandFilter,
  commandFilterRule,
  assetPermission,
  session,
  command,
  replayStorage,
  commandStorage,
  terminal,
  snippet,
  loginLog,
  ftpLog,
  operateLog,
  passwordChangeLog,
  accessKey,
  job,
];

/** The resource of a name; throws for a name that is none, because only declarations ask. */
export function resourceNamed(name: string): Resource {
  const found = RESOURCES.find((resource) => resource.name === name);
  if (!found) throw new Error(`no resource is named ${name}`);
  return found;
}

export {
  accessKey,
  adminUser,
  asset,
  assetPermission,
  command,
  commandFilter,
  commandFilterRule,
  commandStorage,
  domain,
  ftpLog,
  gateway,
  job,
  label,
  loginLog,
  node,
  operateLog,
  organization,
  passwordChangeLog,
  platform,
  replayStorage,
  session,
  snippet,
  systemUser,
  terminal,
  user,
  userGroup,
};
