import { useQuery } from '@tanstack/react-query';
import { api } from '../../../../kit/api.ts';
import { type Reference, referenceTo } from '../../references.ts';
import { cacheKey, objectUrl } from '../../source.ts';
import type { SearchField } from './search-fields.ts';

interface NameTarget {
  readonly reference: Reference;
  readonly id: string;
}

/** Deleted and inaccessible objects have no name; the tag then shows the id. */
const nameOf = (
  { reference, id }: NameTarget,
  signal: AbortSignal,
): Promise<readonly [string, string]> =>
  api.get<object>(objectUrl(reference, id), { signal, quiet: true }).then(
    (object) => [id, reference.label(object)],
    () => [id, id],
  );

/** Returns the names of the objects in the filters of a list, by id. */
export function useObjectNames(
  fields: readonly SearchField[],
  filters: Readonly<Record<string, string>>,
): ReadonlyMap<string, string> {
  const targets = fields.flatMap(({ name, target }): NameTarget[] => {
    const reference = target ? referenceTo(target) : undefined;
    const id = filters[name];
    return reference && id ? [{ reference, id }] : [];
  });
  const { data } = useQuery({
    queryKey: [
      ...cacheKey({ path: 'names' }),
      targets.map(({ reference, id }) => objectUrl(reference, id)),
    ],
    queryFn: ({ signal }) => Promise.all(targets.map((one) => nameOf(one, signal))),
    enabled: targets.length > 0,
  });
  return new Map(data);
}
