export { applicationScreens } from './screens.ts';
