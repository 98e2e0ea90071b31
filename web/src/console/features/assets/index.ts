export { accountScreens, assetScreens } from './screens.ts';
