import type { FieldMetadata, ResourceMetadata } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../kit/api.ts';

/** OPTIONS of an address, read once per page load: what fields there are, and what the caller may do. */
export function useMetadata(url: string, enabled = true) {
  return useQuery({
    queryKey: ['metadata', url],
    queryFn: ({ signal }) => api.options<ResourceMetadata>(url, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    enabled,
  });
}

/** The fields of one method; empty when the caller may not use it. */
export function fieldsOf(metadata: ResourceMetadata | undefined, method: 'GET' | 'POST' | 'PUT'): Readonly<Record<string, FieldMetadata>> {
  return metadata?.actions?.[method] ?? {};
}
