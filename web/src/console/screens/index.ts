import type { Screen } from '../base/screen.ts';
import { applicationScreens } from './applications.ts';
import { accountScreens, assetScreens, commandFilterScreens, vaultScreens } from './assets.ts';
import { dashboardScreen, helpScreens, ownScreens, userAreaScreens } from './home.ts';
import { opsScreens } from './ops.ts';
import { organizationScreens, settingScreens } from './orgs.ts';
import { permissionScreens } from './perms.ts';
import { auditScreens, serverScreens, sessionScreens } from './sessions.ts';
import { ticketScreens } from './tickets.ts';
import { userScreens } from './users.ts';
import { cloudScreens, rotationScreens } from './xpack.ts';

/**
 * Every screen of the console, in the order of each group of the menu. Guard, menu, tabs and
 * palette read this list.
 */
export const SCREENS: readonly Screen[] = [
  dashboardScreen,
  ...sessionScreens,
  ...permissionScreens,
  ...ticketScreens,
  ...commandFilterScreens,
  ...assetScreens,
  ...applicationScreens,
  ...cloudScreens,
  ...userScreens,
  ...organizationScreens,
  ...accountScreens,
  ...vaultScreens,
  ...rotationScreens,
  ...opsScreens,
  ...auditScreens,
  ...settingScreens,
  ...serverScreens,
  ...userAreaScreens,
  ...ownScreens,
  ...helpScreens,
];
