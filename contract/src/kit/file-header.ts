import type { Fields } from './resource.ts';

/** The field that a header cell of a file means: its label in either language, or its name; a star is decoration. Undefined when it means none. */
export function fieldOfHeader(fields: Fields, header: string): string | undefined {
  const text = header.trim().replace(/^\*/, '').trim().toLowerCase();
  const entries = Object.entries(fields);
  const named = entries.find(([name]) => name.toLowerCase() === text);
  if (named) return named[0];
  const labelled = entries.filter(([, field]) => [field.label.en, field.label.zh].some((label) => label.toLowerCase() === text));
  // Two fields may share a label, such as a reference and its name: the one that can be written is meant.
  return (labelled.find(([, field]) => field.mode !== 'readonly') ?? labelled[0])?.[0];
}

/** What a comment line of a file begins with. */
export const COMMENT_MARK = '# ';

/** Whether a record explains the columns, as the second line of a template does: imports leave it out. Only the line below the header can be one. */
export const isComment = (cells: readonly string[], place: number): boolean => place === 0 && (cells[0] ?? '').startsWith(COMMENT_MARK);
