export { storageScreens } from './screens.ts';
