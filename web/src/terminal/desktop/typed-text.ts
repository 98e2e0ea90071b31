/**
 * The first character of the field, before the typed text. On-screen keyboards report a deletion
 * only if the field has a character to delete.
 */
export const ANCHOR = '\u200b';

/** A change of a field: the number of characters deleted at its end, and the text after them. */
export interface Change {
  readonly erased: number;
  readonly text: string;
}

/** Returns what was typed since `before`: an input method may replace what it wrote. */
export function changeOf(before: string, after: string): Change {
  const old = [...before];
  const now = [...after];
  let same = 0;
  while (same < old.length && old[same] === now[same]) same += 1;
  return { erased: old.length - same, text: now.slice(same).join('') };
}
