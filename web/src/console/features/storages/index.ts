export { RecordingPlace } from './RecordingPlace.tsx';
export { storageScreens } from './screens.ts';
export { useAsksRecordingPlace } from './useAsksRecordingPlace.ts';
export { words as storageWords } from './words.ts';
