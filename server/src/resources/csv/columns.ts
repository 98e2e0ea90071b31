import {
  COMMENT_MARK,
  choicesOf,
  type Field,
  headerOf,
  type Language,
  type LocalText,
  type Resource,
  say,
  targetOf,
  writableFields,
} from '@sallyport/contract';
import { pickFields } from '../read/columns.ts';
import { isNamed } from '../relations/names.ts';

/** Maximum choices that a template lists. */
const MAX_CHOICES = 12;

const SEVERAL = { en: 'several, separated by semicolons', zh: '多个值用分号分隔' };
const PATHS = { en: 'node path such as /Default/Shanghai', zh: '节点路径，如 /Default/上海' };
const PAIRS = { en: 'name:value', zh: '名称:值' };
const OBJECTS: Readonly<Record<string, LocalText>> = { node: PATHS, label: PAIRS };
const NAME = { en: 'name', zh: '名称' };
const REQUIRED = { en: 'required', zh: '必填' };
const TRUTH = { en: 'True or False', zh: 'True 或 False' };
const DATE = { en: 'such as 2026-01-31 08:30:00', zh: '如 2026-01-31 08:30:00' };
const OF = { en: 'one of', zh: '可选值' };

function valuesOf(field: Field, language: Language): string[] {
  const choices = choicesOf(field);
  const several =
    field.kind === 'many' || field.kind === 'list' || field.kind === 'flags'
      ? [say(SEVERAL, language)]
      : [];
  if (isNamed(field)) return [say(OBJECTS[targetOf(field) ?? ''] ?? NAME, language), ...several];
  if (choices) {
    const listed = choices
      .slice(0, MAX_CHOICES)
      .map(({ value, label }) =>
        typeof value === 'number' ? `${value} = ${say(label, language)}` : value,
      );
    return [
      `${say(OF, language)}: ${listed.join(' / ')}${choices.length > MAX_CHOICES ? ' / …' : ''}`,
      ...several,
    ];
  }
  if (field.kind === 'boolean') return [say(TRUTH, language)];
  if (field.kind === 'datetime') return [say(DATE, language)];
  if (field.kind === 'integer' && (field.min !== undefined || field.max !== undefined))
    return [`${field.min ?? ''} – ${field.max ?? ''}`.trim()];
  if (field.kind === 'list' && Array.isArray(field.example))
    return [field.example.join('; '), ...several];
  return several;
}

/** Explains one column of a template; empty if any value is valid. */
const explained = (field: Field, language: Language): string =>
  [...(field.required ? [say(REQUIRED, language)] : []), ...valuesOf(field, language)].join('; ');

/** Returns the comment line of a template, which explains the columns. Imports skip it. */
export function commentCells(fields: readonly Field[], language: Language): string[] {
  return fields.map(
    (field, place) => `${place === 0 ? COMMENT_MARK : ''}${explained(field, language)}`,
  );
}

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
      header: `${purpose !== 'export' && field.required ? '*' : ''}${headerOf(resource.fields, name, language)}`,
    }));
}
