export { deletedObjectScreens } from './screens.ts';
