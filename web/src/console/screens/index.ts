import type { Screen } from '../base/screen.ts';
import { assetScreens } from './assets.ts';
import { dashboardScreen, helpScreens, ownScreens, userAreaScreens } from './home.ts';
import { organizationScreens } from './orgs.ts';
import { permissionScreens } from './perms.ts';
import { sessionScreens } from './sessions.ts';
import { settingScreens } from './settings.ts';
import { userScreens } from './users.ts';

/** Every screen of the console, in the order of the menu. Guard, menu, tabs and palette read this and nothing else. */
export const SCREENS: readonly Screen[] = [
  dashboardScreen,
  ...userScreens,
  ...assetScreens,
  ...permissionScreens,
  ...sessionScreens,
  ...organizationScreens,
  ...settingScreens,
  ...userAreaScreens,
  ...ownScreens,
  ...helpScreens,
];
