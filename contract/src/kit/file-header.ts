import type { Fields } from './resource.ts';

/**
 * Returns the field of a header cell: by label in either language, or by name, ignoring a star.
 * Undefined if unknown.
 */
export function fieldOfHeader(fields: Fields, header: string): string | undefined {
  const text = header.trim().replace(/^\*/, '').trim().toLowerCase();
  const entries = Object.entries(fields);
  const byName = entries.find(([name]) => name.toLowerCase() === text);
  if (byName) return byName[0];
  const labelled = entries.filter(([, field]) =>
    [field.label.en, field.label.zh].some((label) => label.toLowerCase() === text),
  );
  // A reference and its name may share a label; prefer the writable field.
  return (labelled.find(([, field]) => field.mode !== 'readonly') ?? labelled[0])?.[0];
}

/** Start of a template's comment line. Imported data never starts like this. */
export const COMMENT_MARK = '# sallyport: ';

/**
 * Returns true for a template's comment line, which imports skip. It can only follow the header;
 * its columns may have moved.
 */
export const isComment = (cells: readonly string[], place: number): boolean =>
  place === 0 && cells.some((cell) => cell.startsWith(COMMENT_MARK));
