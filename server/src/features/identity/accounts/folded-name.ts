/**
 * Returns the form in which names of accounts are compared: ASCII letters without case, like
 * `folded_name` of the database. `toLowerCase` would also map other characters to ASCII letters.
 */
export const foldedName = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
