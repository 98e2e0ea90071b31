export { gatheringScreens } from './screens.ts';
