export { NotificationBell } from './NotificationBell.tsx';
export { notificationScreens } from './screens.ts';
