import { basename } from 'node:path';
import type { Language } from '@sallyport/contract';

/**
 * The language of a file's journeys. A behavior is tested in one language; the files take turns by their names, so that the suite covers both.
 * Layout is tested in both languages, by the files about accessibility.
 */
export function languageOfFile(url: string): Language {
  const letters = [...basename(url)].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
  return letters % 2 === 0 ? 'zh' : 'en';
}
