import type { ResourceSummary } from '@sallyport/contract';
import { displayOf, findSummary } from '../base/resources.ts';
import { textOf } from './source.ts';

/** How the objects of a resource are offered to choose from. */
export interface Reference {
  /** The name of the resource. */
  readonly resource: string;
  readonly path: string;
  readonly label: (row: object) => string;
  /** What is sent; absent: the id. */
  readonly value?: (row: object) => string;
  readonly query?: Readonly<Record<string, string | number>>;
  /** A question to answer before an object is chosen, for those that reach far; they are offered last. */
  readonly caution?: (row: object) => string | undefined;
}

const offered = (summary: ResourceSummary): Reference => ({
  resource: summary.name,
  path: summary.path,
  label: displayOf(summary),
  ...(summary.key !== 'id' && { value: (row: object) => textOf(row, summary.key) }),
  query: summary.query,
});

/** How the objects of a resource are offered, limited by further query values. @throws Error for a name that is no resource */
export function narrowed(
  target: string,
  query: Readonly<Record<string, string | number>>,
): Reference {
  const reference = referenceTo(target);
  if (!reference) throw new Error(`no resource is named ${target}`);
  return { ...reference, query: { ...reference.query, ...query } };
}

/** How the objects of a resource are offered; undefined for a name that is no resource. */
export function referenceTo(target: string): Reference | undefined {
  const summary = findSummary(target);
  return summary && offered(summary);
}
