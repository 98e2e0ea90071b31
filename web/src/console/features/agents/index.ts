export { agentScreens } from './screens.ts';
