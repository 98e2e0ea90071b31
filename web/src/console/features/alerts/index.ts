export { alertScreens } from './screens.ts';
