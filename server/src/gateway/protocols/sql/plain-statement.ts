/**
 * One statement without a character that dialects or settings read differently: a backslash, a
 * comment, a semicolon or a quote outside of pairs, a dollar quote. It may end with a semicolon and
 * a comment. Statements that may change the character set begin with SET, EXECUTE or PREPARE.
 */
const PLAIN =
  /^\s*((?!(?:set|execute|prepare)\b)[a-z](?:[^'"`;\\#$/\0-]|'[^'\\]*'|"[^"\\]*"|`[^`'"\\;#$/\0-]*`|\$\d|-(?!-)|\/(?!\*))*)(?:;\s*)?(?:-- [^\r\n]*)?$/i;
/**
 * Names through which a statement of PostgreSQL changes the character set, and the start of a
 * comment, which even in a string makes MySQL's version comments hard to tell.
 */
const UNCLEAR = /\b(?:set_config|pg_settings|uescape)\b|\/\*/i;

/**
 * Returns the statement of a text that every reading of both dialects takes as the same single
 * statement, and that leaves the character set alone. Returns undefined for all other texts.
 */
export function plainStatement(text: string): string | undefined {
  const statement = PLAIN.exec(text)?.[1];
  return statement === undefined || UNCLEAR.test(text) ? undefined : statement.trimEnd();
}
