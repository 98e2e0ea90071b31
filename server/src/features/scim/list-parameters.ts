import { ScimError } from './errors.ts';
import type { ListQuery, ListResponse } from './list.ts';
import type { Json } from './wire.ts';

const integer = (value: unknown, name: string): number | undefined => {
  if (value === null || value === undefined || value === '') return undefined;
  if (!/^-?\d{1,9}$/.test(String(value)))
    throw new ScimError(400, `${name} is no number.`, 'invalidValue');
  return Number(value);
};
const names = (value: string | null): readonly string[] =>
  (value ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);

export interface ListParameters {
  readonly query: ListQuery;
  readonly attributes: readonly string[];
  readonly excludedAttributes: readonly string[];
}

/** Reads the parameters of a list from the address. */
export function parametersOf(query: URLSearchParams): ListParameters {
  return {
    query: {
      filter: query.get('filter') ?? undefined,
      sortBy: query.get('sortBy') ?? undefined,
      descending: query.get('sortOrder')?.toLowerCase() === 'descending',
      startIndex: integer(query.get('startIndex'), 'startIndex') ?? 1,
      count: integer(query.get('count'), 'count'),
    },
    attributes: names(query.get('attributes')),
    excludedAttributes: names(query.get('excludedAttributes')),
  };
}

/** Reads the parameters of a search by POST (RFC 7644, 3.4.3) from the body. */
export function parametersIn(body: unknown): ListParameters {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new ScimError(400, 'The body is no object.', 'invalidSyntax');
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(body))
    if (name !== 'schemas') query.set(name, Array.isArray(value) ? value.join(',') : String(value));
  return parametersOf(query);
}

type Selection = Omit<ListParameters, 'query'>;

/** Selects attributes of a resource. */
export const selectAttributes = async (
  resource: Json,
  { attributes, excludedAttributes }: Selection,
): Promise<Json> =>
  attributes.length + excludedAttributes.length === 0
    ? resource
    : (await import('./wire.ts')).selectAttributes(resource, attributes, excludedAttributes);

/** Selects the attributes of each resource in a list. */
export const selectIn = async (
  list: ListResponse,
  selection: Selection,
): Promise<ListResponse> => ({
  ...list,
  Resources: await Promise.all(list.Resources.map((one) => selectAttributes(one, selection))),
});
