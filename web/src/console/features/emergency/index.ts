export { emergencyParts } from './parts.ts';
export { emergencyScreens, ownEmergencyScreens } from './screens.ts';
