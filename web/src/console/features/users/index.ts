export { userScreens } from './screens.ts';
