export { dashboardScreen, myAssetsScreens } from './screens.ts';
