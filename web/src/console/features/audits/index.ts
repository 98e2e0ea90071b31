export { auditScreens, signInLogScreens, transferScreens } from './screens.ts';
export { VerifyButton } from './VerifyButton.tsx';
