export { openidSettings } from './settings.tsx';
