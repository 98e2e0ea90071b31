export { organizationScreens } from './screens.ts';
