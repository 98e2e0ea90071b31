import { createHash } from 'node:crypto';

/** Returns a short version of texts: the same for the same texts, else another. */
export const textVersion = (...texts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 12);
