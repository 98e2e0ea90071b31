import { type Field, type Language, type Resource, say, writableFields } from '@sallyport/contract';
import { pickFields } from '../pick.ts';

/** What a CSV file is for: looking at, filling in for new rows, or filling in for rows that exist. */
export type CsvPurpose = 'export' | 'import' | 'update';

/** The fields of a file and their header cells; required ones are marked with a star. */
export function csvColumns(
  resource: Resource,
  purpose: CsvPurpose,
  { language, query }: { readonly language: Language; readonly query: URLSearchParams },
): { name: string; field: Field; header: string }[] {
  const fields =
    purpose === 'export' ? pickFields(resource, query, true) : writableFields(resource).filter(([, field]) => purpose === 'update' || field.kind !== 'id');
  return (
    fields
      // Ids that pages need say nothing to a reader.
      .filter(([name]) => name !== 'org_id' && name !== 'links' && name !== 'first_names')
      .map(([name, field]) => ({ name, field, header: `${purpose !== 'export' && field.required ? '*' : ''}${say(field.label, language)}` }))
  );
}

/** The field a header cell means: its label in either language, or its name; the star is decoration. Undefined when it means none. */
export function fieldOfHeader(resource: Resource, header: string): string | undefined {
  const text = header.trim().replace(/^\*/, '').trim().toLowerCase();
  const entries = Object.entries(resource.fields);
  const named = entries.find(([name]) => name.toLowerCase() === text);
  if (named) return named[0];
  const labelled = entries.filter(([, field]) => [field.label.en, field.label.zh].some((label) => label.toLowerCase() === text));
  // Two fields may share a label, such as a reference and its name: the one that can be written is meant.
  return (labelled.find(([, field]) => field.mode !== 'readonly') ?? labelled[0])?.[0];
}
