/**
 * Control characters, characters that break a line or change its direction, and invisible ones,
 * with which two different names look the same. Joiners and variation selectors are part of scripts
 * and emoji.
 */
const MISLEADING =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]|(?!\p{Join_Control}|\p{Variation_Selector})\p{Default_Ignorable_Code_Point}/gu;

/** Returns the text with each misleading character replaced. */
export const withoutMisleading = (text: string, replacement = '\uFFFD'): string =>
  text.replace(MISLEADING, replacement);

/** Returns the text without misleading characters; line breaks stay. For terminals. */
export const linesWithoutMisleading = (text: string): string =>
  text
    .split('\n')
    .map((line) => withoutMisleading(line))
    .join('\n');

/** Returns JSON of the same value without misleading characters; line breaks stay. */
export const escapeMisleading = (json: string): string =>
  json.replace(MISLEADING, (character) =>
    character === '\n'
      ? character
      : [...Array(character.length).keys()]
          .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
          .join(''),
  );

/** Returns true for a text that could mislead readers of logs and terminals. */
export const isMisleading = (text: string): boolean => text.search(MISLEADING) !== -1;

/**
 * Returns true for a value that programs take as it is: it begins like no option, breaks no line of
 * a file, and shows as it is.
 */
export const isOperand = (text: string): boolean =>
  text.isWellFormed() && !text.startsWith('-') && !isMisleading(text);
