import { type Field, type Resource, readableFields } from '@sallyport/contract';
import { invalid } from '../../platform/errors.ts';

const SIZES = ['mini', 'small'];

/** Returns true if the row itself stores or determines the field, without another object. */
function isOwn(field: Field): boolean {
  if (field.kind === 'computed')
    return !('count' in field.computedFrom || 'display' in field.computedFrom);
  return field.kind !== 'many' && field.kind !== 'reference';
}

function names(query: URLSearchParams, parameter: string): string[] {
  return query
    .getAll(parameter)
    .flatMap((text) => text.split(','))
    .map((name) => name.trim())
    .filter(Boolean);
}

/**
 * Returns the fields of a read: those in `fields`, without those in `fields!`, of the size
 * `fields_size`. Default: the usual fields of a list (`detail` false) or of one object. `fields`
 * may name fields that lists omit.
 *
 * @throws Invalid for names that are no readable fields
 */
export function pickFields(
  resource: Resource,
  query: URLSearchParams,
  detail: boolean,
): [string, Field][] {
  const known = new Map(readableFields(resource, true));
  const [included, excluded] = [names(query, 'fields'), names(query, 'fields!')];
  for (const [parameter, fieldNames] of [
    ['fields', included],
    ['fields!', excluded],
  ] as const) {
    const unknown = fieldNames.find((name) => !known.has(name));
    if (unknown !== undefined)
      throw invalid(parameter, 'not_choice', { value: unknown.slice(0, 64) });
  }
  const size = (query.getAll('fields_size').at(-1) ?? '').trim();
  if (size !== '' && !SIZES.includes(size))
    throw invalid('fields_size', 'not_choice', { value: size.slice(0, 64) });
  return [...known].filter(([name, field]) => {
    if (excluded.includes(name)) return false;
    if (included.length > 0) return included.includes(name);
    if (size === 'mini') return resource.miniFields.includes(name);
    return (detail || !field.detailOnly) && (size !== 'small' || isOwn(field));
  });
}

/** Reduces a row to the fields that the query picks. @throws Invalid */
export function pickFrom(
  row: Readonly<Record<string, unknown>>,
  resource: Resource,
  query: URLSearchParams,
): Record<string, unknown> {
  return Object.fromEntries(pickFields(resource, query, true).map(([name]) => [name, row[name]]));
}
