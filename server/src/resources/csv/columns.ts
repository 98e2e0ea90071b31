import { type Field, type Language, type Resource, say, writableFields } from '@sallyport/contract';
import { pickFields } from '../pick.ts';

/** What a CSV file is for: looking at, filling in for new rows, or filling in for rows that exist. */
export type CsvPurpose = 'export' | 'import' | 'update';

/** Whether a file shall name the objects that rows link to, instead of giving their ids. */
export const wantsNames = (query: URLSearchParams): boolean => query.get('references') === 'names';

/** What pages need and a reader of a file does not. */
const ONLY_FOR_PAGES = new Set(['org_id', 'links', 'first_names', 'last_session', 'host_key']);

/** The fields of a file and their header cells; required ones are marked with a star. */
export function csvColumns(
  resource: Resource,
  purpose: CsvPurpose,
  { language, query }: { readonly language: Language; readonly query: URLSearchParams },
): { name: string; field: Field; header: string }[] {
  const fields =
    purpose === 'export'
      ? pickFields(resource, query, true)
      : writableFields(resource).filter(([, field]) => purpose === 'update' || field.kind !== 'id');
  const names = new Set(fields.map(([name]) => name));
  // Where references are names, a second column with the same names would only be in the way.
  const isTwice = (field: Field) =>
    wantsNames(query) &&
    field.kind === 'computed' &&
    'display' in field.computedFrom &&
    names.has(field.computedFrom.display);
  return fields
    .filter(([, field]) => !isTwice(field))
    .filter(([name]) => !ONLY_FOR_PAGES.has(name))
    .map(([name, field]) => ({
      name,
      field,
      header: `${purpose !== 'export' && field.required ? '*' : ''}${say(field.label, language)}`,
    }));
}
