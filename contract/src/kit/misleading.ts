/** Control characters, and characters that break a line or change its direction. */
const MISLEADING = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Returns the text with each misleading character replaced. */
export const withoutMisleading = (text: string, replacement = '\uFFFD'): string =>
  text.replace(MISLEADING, replacement);

/** Returns JSON of the same value without misleading characters; line breaks stay. */
export const escapeMisleading = (json: string): string =>
  json.replace(MISLEADING, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Returns true for a text that could mislead readers of logs and terminals. */
export const isMisleading = (text: string): boolean => text.search(MISLEADING) !== -1;

/**
 * Returns true for a value that programs take as it is: it begins like no option, breaks no line of
 * a file, and shows as it is.
 */
export const isOperand = (text: string): boolean =>
  text.isWellFormed() && !text.startsWith('-') && !isMisleading(text);
