import { SUMMARIES } from 'virtual:resources';
import { displayName, type ResourceSummary, wholeSummary } from '@sallyport/contract';
import { useMemo } from 'react';
import { useSession } from './session.tsx';

/** Returns the summary of a resource, or undefined for an unknown name. */
export function findSummary(name: string): ResourceSummary | undefined {
  const summary = SUMMARIES[name];
  return summary && wholeSummary(name, summary);
}

/** Paths of the pages of a resource. A path does not imply that the page exists. */
interface ResourcePages {
  readonly list: string;
  readonly create: string;
  readonly update: (id: string) => string;
  readonly detail: (id: string) => string;
}

/** Returns the summary of a resource. @throws Error for an unknown name */
export function summaryNamed(name: string): ResourceSummary {
  const summary = findSummary(name);
  if (!summary) throw new Error(`no resource is named ${name}`);
  return summary;
}

/** @throws Error for an unknown resource name */
export function pagesOf(name: string): ResourcePages {
  const { list, create, update, detail } = summaryNamed(name).pages;
  return {
    list: `/${list}`,
    create: `/${create}/create`,
    update: (id) => `/${update}/${id}/update`,
    detail: (id) => `/${detail}/${id}`,
  };
}

/** The text that represents an object of this resource in lists and links. */
export const displayOf = (summary: ResourceSummary) => (row: object) =>
  displayName(summary.display, row);

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
