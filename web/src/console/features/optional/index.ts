export { optionalScreens } from './screens.ts';
export { words as optionalWords } from './words.ts';
