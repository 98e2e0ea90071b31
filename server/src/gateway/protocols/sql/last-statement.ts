/** Longer statements ask for more. */
const MAX = 400;
const NAME = "(?:`\\w+`|'[^'\\\\]*'|\\w+)";
/** A value that the server keeps about the last statement, or a number. */
const VALUE = `(?:(?:row_count|found_rows|last_insert_id)\\s*\\(\\s*\\)|@@(?:session\\.|local\\.)?(?:warning_count|error_count|identity|last_insert_id)|\\d+)(?:\\s+(?:as\\s+)?${NAME})?`;
const ASKS = new RegExp(
  `^\\s*(?:show\\s+(?:warnings|errors|count\\s*\\(\\s*\\*\\s*\\)\\s+(?:warnings|errors))(?:\\s+limit\\s+\\d+(?:\\s*,\\s*\\d+)?)?|select\\s+${VALUE}(?:\\s*,\\s*${VALUE})*)\\s*;?\\s*$`,
  'i',
);

/** A letter of which another character set may take the quote after it as a half. */
const LETTER = /[^\0-\x7f]/;

/**
 * Returns true if a statement of MySQL only asks about the statement before: its warnings, its
 * number of rows, its id. Such a statement runs no function of the database. That holds in every
 * character set: with one quoted name, a lost quote leaves an unfinished text.
 */
export const asksAboutLast = (statement: string): boolean =>
  statement.length <= MAX &&
  ASKS.test(statement) &&
  (!LETTER.test(statement) || statement.split("'").length <= 3);
