import { chinese } from './words.mjs';

/** The sentences of the verifier as patterns: longer ones first. */
const PATTERNS = Object.keys(chinese)
  .toSorted((one, other) => other.replaceAll('{}', '').length - one.replaceAll('{}', '').length)
  .map((text) => {
    const parts = text.split('{}').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    return { text, pattern: new RegExp(`^${parts.join('(.+)')}$`, 's') };
  });

/** Returns Chinese for a sentence of the verifier, and the sentence if it is unknown. */
export function translate(sentence) {
  for (const { text, pattern } of PATTERNS) {
    const values = pattern.exec(sentence)?.slice(1);
    if (values)
      return chinese[text].replace(/\{(\d)\}/g, (_, digit) => translate(values[digit - 1]));
  }
  return sentence;
}
