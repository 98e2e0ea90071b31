import { type Field, type Language, type Resource, say, writableFields } from '@sallyport/contract';
import { pickFields } from '../read/pick.ts';

/** Purpose of a CSV file: an export, a template for new rows, or a template for updates. */
export type CsvPurpose = 'export' | 'import' | 'update';

/** Returns true if a file lists linked objects by name instead of id. */
export const wantsNames = (query: URLSearchParams): boolean => query.get('references') === 'names';

/** Fields for pages, useless in a file. */
const ONLY_FOR_PAGES = new Set(['org_id', 'links', 'first_names', 'last_session', 'host_key']);

/** Returns the fields of a file with header cells. A star marks required fields. */
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
  // A reference written as a name makes its display column redundant.
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
