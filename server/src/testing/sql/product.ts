/** Columns that allow null in their table, but have a value in the rows of the statement. */
const NEVER_NULL = [
  // The statement sets them.
  /^server\/src\/features\/events\/store\.ts:\d+ lease is promised/,
  /^server\/src\/features\/sessions\/invitations\/store\.ts:\d+ reason is promised/,
  // The statement compares it.
  /^server\/src\/features\/jobs\/monitor-store\.ts:\d+ date_finished is promised/,
  // Generated from columns that are not null.
  /^server\/src\/features\/sessions\/stored-commands\/mover\.ts:\d+ search_text is promised/,
];

/**
 * Returns true for code of the program. Drivers of the gateway and imports talk to databases of
 * others.
 */
export const isProduct = (file: string): boolean =>
  /^(server\/src\/(?!gateway\/protocols\/|start\/import\/jumpserver\/)|demo\/)/.test(file) &&
  !/\.test\.ts$|\/testing\//.test(file);

/** Returns true for a problem that is no false alarm. */
export const isUnknown = (problem: string): boolean =>
  !NEVER_NULL.some((known) => known.test(problem));
