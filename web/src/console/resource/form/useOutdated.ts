import { allows, fieldsDiffer, type ResourceMetadata } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { useSession } from '../../base/session.tsx';
import { listUrl, type Source } from '../source.ts';

/**
 * Returns true if the server describes the fields of a form differently than this console, as
 * after an upgrade while the page was open. Asks once per resource and page load, after the form is
 * drawn.
 */
export function useOutdated(source: Source, isDrawn: boolean): boolean {
  const { permissions } = useSession().role;
  const { read } = source.access ?? {};
  const { data } = useQuery({
    queryKey: ['metadata', source.name],
    queryFn: ({ signal }) =>
      api.options<ResourceMetadata>(listUrl(source), { signal, quiet: true }),
    enabled: isDrawn && read !== undefined && allows(permissions, read),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  });
  const described = data?.actions?.PUT ?? data?.actions?.POST;
  return described !== undefined && fieldsDiffer(source.fields, described, permissions);
}
