import { useMemo } from 'react';
import { pagesOf, type ResourcePages } from '../base/resources.ts';
import { useSession } from '../base/session.tsx';

/** Returns the pages of a resource that exist and that the user may open. */
export function usePages(resource: string): Partial<ResourcePages> {
  const { screens } = useSession();
  return useMemo(() => {
    const open = new Set(
      screens.filter((screen) => screen.resource === resource).map(({ path }) => path),
    );
    if (open.size === 0) return {};
    const pages = pagesOf(resource);
    return {
      ...(open.has(pages.list) && { list: pages.list }),
      ...(open.has(pages.create) && { create: pages.create }),
      ...(open.has(pages.update('$id')) && { update: pages.update }),
      ...(open.has(pages.detail('$id')) && { detail: pages.detail }),
    };
  }, [screens, resource]);
}
