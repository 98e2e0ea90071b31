import type { FeatureName } from '@sallyport/contract';
import { lazyRouteComponent as page } from '@tanstack/react-router';
import type { Parts } from '../base/parts.ts';
import type { Screen } from '../base/screen.ts';
import { agentScreens } from '../features/agents/index.ts';
import { alertScreens } from '../features/alerts/index.ts';
import { appPermissionScreens, ownAppScreens } from '../features/app-permissions/index.ts';
import { applicationScreens } from '../features/applications/index.ts';
import { vaultScreens } from '../features/asset-users/index.ts';
import { accountScreens, assetScreens } from '../features/assets/index.ts';
import { auditScreens, signInLogScreens, transferScreens } from '../features/audits/index.ts';
import { backupScreens } from '../features/backups/index.ts';
import { rotationScreens } from '../features/change-auth/index.ts';
import { changeSetScreens } from '../features/change-control/index.ts';
import { cloudScreens } from '../features/cloud/index.ts';
import {
  clusterPermissionScreens,
  clusterScreens,
  ownClusterScreens,
} from '../features/clusters/index.ts';
import { complianceScreens } from '../features/compliance/index.ts';
import { conditionScreens } from '../features/conditions/index.ts';
import { deletedObjectScreens } from '../features/deleted-objects/index.ts';
import {
  emergencyParts,
  emergencyScreens,
  ownEmergencyScreens,
} from '../features/emergency/index.ts';
import { eventScreens } from '../features/events/index.ts';
import { filterScreens } from '../features/filters/index.ts';
import { gatheringScreens } from '../features/gathering/index.ts';
import { helpScreens } from '../features/help/index.ts';
import { dashboardScreen, myAssetsScreens } from '../features/home/index.ts';
import { jobScreens } from '../features/jobs/index.ts';
import { lostChangeScreens } from '../features/lost-changes/index.ts';
import { notificationScreens } from '../features/notifications/index.ts';
import { opsScreens, ownBatchScreens } from '../features/ops/index.ts';
import { optionalScreens } from '../features/optional/index.ts';
import { organizationScreens } from '../features/orgs/index.ts';
import { permissionScreens, unusedAccessScreens } from '../features/perms/index.ts';
import { ownScreens } from '../features/profile/index.ts';
import { sessionScreens } from '../features/sessions/index.ts';
import { settingScreens } from '../features/settings/index.ts';
import { storageScreens } from '../features/storages/index.ts';
import { ticketScreens } from '../features/tickets/index.ts';
import { userScreens } from '../features/users/index.ts';
import { ownWindowScreens, windowScreens } from './windows.ts';

/** Hides screens while their feature is off. */
const of = (feature: FeatureName, screens: readonly Screen[]): readonly Screen[] =>
  screens.map((screen) => ({ ...screen, feature }));

/**
 * Every screen of the console, in the order of each group of the menu. Guard, menu, tabs and
 * palette read this list.
 */
export const SCREENS: readonly Screen[] = [
  dashboardScreen,
  ...sessionScreens,
  ...transferScreens,
  ...windowScreens,
  ...permissionScreens,
  ...appPermissionScreens,
  ...of('clusters', clusterPermissionScreens),
  ...conditionScreens,
  ...unusedAccessScreens,
  ...of('change-control', changeSetScreens),
  ...of('emergency', emergencyScreens),
  ...ticketScreens,
  ...filterScreens,
  ...assetScreens,
  ...applicationScreens,
  ...of('clusters', clusterScreens),
  ...of('cloud', cloudScreens),
  ...userScreens,
  ...notificationScreens,
  ...organizationScreens,
  ...accountScreens,
  ...vaultScreens,
  ...of('change-auth', rotationScreens),
  ...of('gathering', gatheringScreens),
  ...jobScreens,
  ...opsScreens,
  ...signInLogScreens,
  ...of('alerts', alertScreens),
  ...of('lost-changes', lostChangeScreens),
  ...auditScreens,
  ...settingScreens(page(() => import('./SettingsScreen.tsx'), 'SettingsScreen')),
  ...backupScreens,
  ...deletedObjectScreens,
  ...of('compliance', complianceScreens),
  ...storageScreens,
  ...of('events', eventScreens),
  ...optionalScreens,
  ...agentScreens,
  ...myAssetsScreens,
  ...ownAppScreens,
  ...of('clusters', ownClusterScreens),
  ...of('emergency', ownEmergencyScreens),
  ...ownBatchScreens,
  ...ownWindowScreens,
  ...ownScreens,
  ...helpScreens,
];

/** Components that features add to pages of others. */
export const PARTS: readonly Parts[] = [emergencyParts];
