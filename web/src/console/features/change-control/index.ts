export { changeSetScreens } from './screens.ts';
