export { samlSettings } from './settings.tsx';
