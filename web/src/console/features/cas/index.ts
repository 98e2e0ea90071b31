export { casSettings } from './settings.tsx';
