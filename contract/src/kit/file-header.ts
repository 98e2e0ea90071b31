import type { Fields } from './resource.ts';

/** The field that a header cell of a file means: its label in either language, or its name; a star is decoration. Undefined when it means none. */
export function fieldOfHeader(fields: Fields, header: string): string | undefined {
  const text = header.trim().replace(/^\*/, '').trim().toLowerCase();
  const entries = Object.entries(fields);
  const named = entries.find(([name]) => name.toLowerCase() === text);
  if (named) return named[0];
  const labelled = entries.filter(([, field]) =>
    [field.label.en, field.label.zh].some((label) => label.toLowerCase() === text),
  );
  // Two fields may share a label, such as a reference and its name: the one that can be written is meant.
  return (labelled.find(([, field]) => field.mode !== 'readonly') ?? labelled[0])?.[0];
}

/** What the line of a template begins with that explains its columns. Nothing that people import begins like this. */
export const COMMENT_MARK = '# sallyport: ';

/** Whether a record is the line of a template that explains the columns: imports leave it out. Only the line below the header can be one; its columns may have been moved. */
export const isComment = (cells: readonly string[], place: number): boolean =>
  place === 0 && cells.some((cell) => cell.startsWith(COMMENT_MARK));
