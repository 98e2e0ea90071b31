import { SUMMARIES } from 'virtual:resources';
import { displayName, type ResourceSummary, wholeSummary } from '@sallyport/contract';

/** The summary of a resource; undefined for a name that is none. */
export function findSummary(name: string): ResourceSummary | undefined {
  const summary = SUMMARIES[name];
  return summary && wholeSummary(name, summary);
}

/** The paths of the pages of a resource, whether it has them or not. */
export interface ResourcePages {
  readonly list: string;
  readonly create: string;
  readonly update: (id: string) => string;
  readonly detail: (id: string) => string;
}

/** Where the pages of a resource are. @throws Error for a name that is none */
export function pagesOf(name: string): ResourcePages {
  const summary = findSummary(name);
  if (!summary) throw new Error(`no resource is named ${name}`);
  const { list, create, update, detail } = summary.pages;
  return {
    list: `/${list}`,
    create: `/${create}/create`,
    update: (id) => `/${update}/${id}/update`,
    detail: (id) => `/${detail}/${id}`,
  };
}

/** How an object of a resource is written where another one names it. */
export const displayOf = (summary: ResourceSummary) => (row: object) =>
  displayName(summary.display, row);
