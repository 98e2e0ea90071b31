import { useQueries } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { referenceTo } from '../references.ts';
import { cacheKey, objectUrl } from '../source.ts';
import type { SearchField } from './search-fields.ts';

/** The names of the objects that a list is filtered by, by their ids. */
export function useObjectNames(fields: readonly SearchField[], filters: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const wanted = fields.flatMap(({ name, target }) => {
    const reference = target ? referenceTo(target) : undefined;
    const id = filters[name];
    return reference && id ? [{ reference, id }] : [];
  });
  const answers = useQueries({
    queries: wanted.map(({ reference, id }) => ({
      queryKey: [...cacheKey(reference), 'name', id],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => api.get<object>(objectUrl(reference, id), { signal, quiet: true }),
      retry: false,
    })),
  });
  return new Map(
    wanted.flatMap(({ reference, id }, index) => {
      const object = answers[index]?.data;
      return object ? [[id, reference.label(object)] as const] : [];
    }),
  );
}
