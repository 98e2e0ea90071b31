export { jobScreens } from './screens.ts';
