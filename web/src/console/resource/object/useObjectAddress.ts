import { useCallback } from 'react';
import type { SearchRecord } from '../../base/navigation.tsx';
import { usePages } from '../usePages.ts';

/** The address that shows an object: its page, or a list filtered to it. */
export interface ObjectAddress {
  readonly to: string;
  readonly search?: SearchRecord;
}

/**
 * Returns a function from id to address for the objects of a resource, or undefined if the user may
 * open none. A node has no page: its address is the list of assets.
 */
export function useObjectAddress(resource: string): ((id: string) => ObjectAddress) | undefined {
  const isNode = resource === 'node';
  const { list, detail } = usePages(isNode ? 'asset' : resource);
  const address = useCallback(
    (id: string): ObjectAddress =>
      isNode ? { to: list ?? '', search: { node: id } } : { to: detail?.(id) ?? '' },
    [isNode, list, detail],
  );
  return (isNode ? list : detail) ? address : undefined;
}
