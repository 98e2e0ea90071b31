import { basename } from 'node:path';
import type { Language } from '@sallyport/contract';

/**
 * Returns the language of a file's journeys. The files alternate by name, so the suite covers both
 * languages. The files about accessibility test layout in both.
 */
export function languageOfFile(url: string): Language {
  const letters = [...basename(url)].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
  return letters % 2 === 0 ? 'zh' : 'en';
}
