export { rotationScreens } from './screens.ts';
