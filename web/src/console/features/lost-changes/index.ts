export { lostChangeScreens } from './screens.ts';
