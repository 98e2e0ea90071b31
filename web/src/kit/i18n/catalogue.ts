import type { LocalText } from '@sallyport/contract';

/** Declares the texts of one area; the compiler requires both languages. */
export function catalogue<const W extends Readonly<Record<string, LocalText>>>(words: W): W {
  return words;
}
