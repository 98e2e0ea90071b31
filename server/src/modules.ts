import { agents } from './features/agents/index.ts';
import { alerts } from './features/alerts/index.ts';
import { applications } from './features/applications/index.ts';
import { apply } from './features/apply/index.ts';
import { assetUsers } from './features/asset-users/index.ts';
import { assets } from './features/assets/index.ts';
import { attention } from './features/attention/index.ts';
import { audits } from './features/audits/index.ts';
import { backups } from './features/backups/index.ts';
import { bulk } from './features/bulk/index.ts';
import { cas } from './features/cas/index.ts';
import { changeAuth } from './features/change-auth/index.ts';
import { changeControl } from './features/change-control/index.ts';
import { cloud } from './features/cloud/index.ts';
import { clusters } from './features/clusters/index.ts';
import { compliance } from './features/compliance/index.ts';
import { connections } from './features/connections/index.ts';
import { dashboard } from './features/dashboard/index.ts';
import { deletedObjects } from './features/deleted-objects/index.ts';
import { directory } from './features/directory/index.ts';
import { emergency } from './features/emergency/index.ts';
import { events } from './features/events/index.ts';
import { evidence } from './features/evidence/index.ts';
import { filters } from './features/filters/index.ts';
import { gathering } from './features/gathering/index.ts';
import { health } from './features/health/index.ts';
import { identity } from './features/identity/index.ts';
import { interfaces } from './features/interface/index.ts';
import { jobs } from './features/jobs/index.ts';
import { license } from './features/license/index.ts';
import { live } from './features/live/index.ts';
import { lostChanges } from './features/lost-changes/index.ts';
import { mail } from './features/mail/index.ts';
import { metrics } from './features/metrics/index.ts';
import { notifications } from './features/notifications/index.ts';
import { openid } from './features/openid/index.ts';
import { ops } from './features/ops/index.ts';
import { optional } from './features/optional/index.ts';
import { orgs } from './features/orgs/index.ts';
import { perms } from './features/perms/index.ts';
import { radius } from './features/radius/index.ts';
import { retention } from './features/retention/index.ts';
import { saml } from './features/saml/index.ts';
import { scim } from './features/scim/index.ts';
import { search } from './features/search/index.ts';
import { servers } from './features/servers/index.ts';
import { sessions } from './features/sessions/index.ts';
import { settings } from './features/settings/index.ts';
import { sites } from './features/sites/index.ts';
import { sshAuthorities } from './features/ssh-authorities/index.ts';
import { storages } from './features/storages/index.ts';
import { tickets } from './features/tickets/index.ts';
import { traces } from './features/traces/index.ts';
import { v4 } from './features/v4/index.ts';
import { witness } from './features/witness/index.ts';
import { gateway } from './gateway/adapters/index.ts';
import type { Module } from './module.ts';

/**
 * All modules of the program, bottom-up: each may use those before it. They start in this order and
 * stop in reverse.
 */
export const MODULES: readonly Module[] = [
  servers,
  audits,
  settings,
  license,
  mail,
  interfaces,
  assets,
  applications,
  filters,
  orgs,
  perms,
  identity,
  notifications,
  tickets,
  jobs,
  deletedObjects,
  bulk,
  changeControl,
  apply,
  sshAuthorities,
  connections,
  sites,
  agents,
  clusters,
  ops,
  assetUsers,
  gathering,
  changeAuth,
  cloud,
  live,
  directory,
  radius,
  openid,
  saml,
  cas,
  scim,
  sessions,
  emergency,
  storages,
  alerts,
  lostChanges,
  events,
  dashboard,
  search,
  retention,
  health,
  backups,
  witness,
  evidence,
  compliance,
  optional,
  attention,
  metrics,
  traces,
  v4,
  gateway,
];
