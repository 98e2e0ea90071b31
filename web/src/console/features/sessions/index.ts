export { Duration } from './Duration.tsx';
export { OpenSession } from './OpenSession.tsx';
export { ReplayFromHere } from './ReplayFromHere.tsx';
export { SessionsCard } from './SessionsCard.tsx';
export { sessionScreens } from './screens.ts';
export { askToTerminate, type Session } from './session-actions.ts';
export { useSessionsFigure, useSessionsTab } from './useSessionsTab.tsx';
