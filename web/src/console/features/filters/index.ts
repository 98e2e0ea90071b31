export { filterScreens } from './screens.ts';
