import { type Field, type Resource, readableFields } from '@sallyport/contract';
import { invalid } from '../platform/errors.ts';

const SIZES = ['mini', 'small'];

/** Whether a field is the row's own: what is stored with it or follows from that, and needs no other object. */
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
 * The fields that a reading shows: those of `fields`, without those of `fields!`, of the size `fields_size`; without any
 * of them the usual ones of a list (`detail` false) or of one object. A field that lists leave out may be named.
 *
 * @throws Invalid for names that are no readable fields
 */
export function pickFields(
  resource: Resource,
  query: URLSearchParams,
  detail: boolean,
): [string, Field][] {
  const known = new Map(readableFields(resource, true));
  const [wanted, unwanted] = [names(query, 'fields'), names(query, 'fields!')];
  for (const [parameter, given] of [
    ['fields', wanted],
    ['fields!', unwanted],
  ] as const) {
    const unknown = given.find((name) => !known.has(name));
    if (unknown !== undefined)
      throw invalid(parameter, 'not_choice', { value: unknown.slice(0, 64) });
  }
  const size = (query.getAll('fields_size').at(-1) ?? '').trim();
  if (size !== '' && !SIZES.includes(size))
    throw invalid('fields_size', 'not_choice', { value: size.slice(0, 64) });
  return [...known].filter(([name, field]) => {
    if (unwanted.includes(name)) return false;
    if (wanted.length > 0) return wanted.includes(name);
    if (size === 'mini') return resource.miniFields.includes(name);
    return (detail || !field.detailOnly) && (size !== 'small' || isOwn(field));
  });
}

/** A row reduced to the fields that a reading shows. @throws Invalid */
export function pickFrom(
  row: Readonly<Record<string, unknown>>,
  resource: Resource,
  query: URLSearchParams,
): Record<string, unknown> {
  return Object.fromEntries(pickFields(resource, query, true).map(([name]) => [name, row[name]]));
}
