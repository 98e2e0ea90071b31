import type { ResourceSummary } from '@sallyport/contract';
import { displayOf, findSummary } from '../base/resources.ts';
import { textOf } from './source.ts';

/** Source of the options of a select. */
export interface Reference {
  /** The name of the resource. */
  readonly resource: string;
  readonly path: string;
  readonly label: (row: object) => string;
  /** Value to send; defaults to the id. */
  readonly value?: (row: object) => string;
  readonly query?: Readonly<Record<string, string | number>>;
  /** Returns a confirmation for choosing a far-reaching object; such objects are offered last. */
  readonly caution?: (row: object) => string | undefined;
}

const offered = (summary: ResourceSummary): Reference => ({
  resource: summary.name,
  path: summary.path,
  label: displayOf(summary),
  ...(summary.key !== 'id' && { value: (row: object) => textOf(row, summary.key) }),
  query: summary.query,
});

/**
 * Returns the reference to a resource, limited by further query values. @throws Error for an
 * unknown resource
 */
export function narrowed(
  target: string,
  query: Readonly<Record<string, string | number>>,
): Reference {
  const reference = referenceTo(target);
  if (!reference) throw new Error(`no resource is named ${target}`);
  return { ...reference, query: { ...reference.query, ...query } };
}

/** Returns the reference to a resource, or undefined for an unknown one. */
export function referenceTo(target: string): Reference | undefined {
  const summary = findSummary(target);
  return summary && offered(summary);
}
