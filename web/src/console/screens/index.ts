import type { Screen } from './screen.ts';

export const SCREENS: readonly Screen[] = [];
