/** Words that need no quotes in any shell. */
const PLAIN_WORD = /^[A-Za-z0-9_./:@%+,-][A-Za-z0-9_./:@%+,=-]*$/;

/**
 * Quotes a word so that a POSIX shell sees it literally. Quotes and backslashes stay outside
 * quotes, where all shells read them alike.
 */
export function quotedWord(word: string): string {
  if (word === '') return "''";
  return word
    .split(/(['\\])/)
    .map((part) => (part === '' ? '' : part === "'" || part === '\\' ? `\\${part}` : `'${part}'`))
    .join('');
}

/** Returns a word as a shell reads it literally, without quotes if it needs none. */
export const posixWord = (word: string): string =>
  PLAIN_WORD.test(word) ? word : quotedWord(word);

/** Returns a path as an argument of an advised command: literally, and never as an option. */
export const posixPath = (path: string): string =>
  posixWord(path.startsWith('-') ? `./${path}` : path);
