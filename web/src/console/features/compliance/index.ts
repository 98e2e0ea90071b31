export { complianceScreens } from './screens.ts';
