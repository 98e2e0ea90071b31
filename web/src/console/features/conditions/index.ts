export { conditionScreens } from './screens.ts';
