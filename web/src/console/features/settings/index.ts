export { settingScreens } from './screens.ts';
