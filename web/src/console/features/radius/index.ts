export { radiusSettings } from './settings.tsx';
