export { backupScreens } from './screens.ts';
