import type { LocalText, SecretState } from '@sallyport/contract';
import { words } from './words.ts';

/** Names of the states of secrets. */
export const SECRET_WORDS: Readonly<Record<SecretState, LocalText>> = {
  old: words.stateOld,
  unchanged: words.stateUnchanged,
  missing: words.noSecret,
};
