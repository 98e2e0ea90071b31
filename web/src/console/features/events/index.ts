export { eventScreens } from './screens.ts';
