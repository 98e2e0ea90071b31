export { cloudScreens } from './screens.ts';
