import { SUMMARIES } from 'virtual:resources';
import { displayName, type ResourceSummary, wholeSummary } from '@sallyport/contract';

/** Returns the summary of a resource, or undefined for an unknown name. */
export function findSummary(name: string): ResourceSummary | undefined {
  const summary = SUMMARIES[name];
  return summary && wholeSummary(name, summary);
}

/** Paths of the pages of a resource. A path does not imply that the page exists. */
export interface ResourcePages {
  readonly list: string;
  readonly create: string;
  readonly update: (id: string) => string;
  readonly detail: (id: string) => string;
}

/** @throws Error for an unknown resource name */
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

/** The text that represents an object of this resource in lists and links. */
export const displayOf = (summary: ResourceSummary) => (row: object) =>
  displayName(summary.display, row);
