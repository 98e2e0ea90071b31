import type { LocalText } from '@sallyport/contract';

/** Declares the words of one area. Each has both languages, or it does not compile. */
export function catalogue<const W extends Readonly<Record<string, LocalText>>>(words: W): W {
  return words;
}
