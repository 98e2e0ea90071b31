export { ticketScreens } from './screens.ts';
