export { EmergencyButton } from './EmergencyButton.tsx';
export { EmergencyCard, SessionReview } from './EmergencyCard.tsx';
export { emergencyScreens, ownEmergencyScreens } from './screens.ts';
