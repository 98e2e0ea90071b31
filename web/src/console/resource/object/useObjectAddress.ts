import { useCallback } from 'react';
import type { SearchRecord } from '../../base/navigation.tsx';
import { usePages } from '../usePages.ts';

/** Where an object is shown: its page, or the list that is narrowed to it. */
export interface ObjectAddress {
  readonly to: string;
  readonly search?: SearchRecord;
}

/** Where the objects of a resource are shown to this person, by their ids; undefined: nowhere. A node has no page: it is a place in the list of assets. */
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
