import type { Screen } from '../base/screen.ts';
import { applicationScreens } from './applications.ts';
import { assetScreens, vaultScreens } from './assets.ts';
import { dashboardScreen, helpScreens, ownScreens, userAreaScreens } from './home.ts';
import { opsScreens } from './ops.ts';
import { organizationScreens, settingScreens } from './orgs.ts';
import { permissionScreens } from './perms.ts';
import { sessionScreens } from './sessions.ts';
import { ticketScreens } from './tickets.ts';
import { userScreens } from './users.ts';
import { xpackScreens } from './xpack.ts';

/** Every screen of the console, in menu order. Guard, menu, tabs and palette read this list. */
export const SCREENS: readonly Screen[] = [
  dashboardScreen,
  ...userScreens,
  ...assetScreens,
  ...applicationScreens,
  ...permissionScreens,
  ...sessionScreens,
  ...opsScreens,
  ...ticketScreens,
  ...vaultScreens,
  ...xpackScreens,
  ...organizationScreens,
  ...settingScreens,
  ...userAreaScreens,
  ...ownScreens,
  ...helpScreens,
];
