/** Ids that a set has at most: what one bulk change is about. */
export const SET_MAX = 250_000;
/** Up to so many rows one request changes; more are a set that a job works through. */
export const MANY_ROWS = 1_000;

/** What a job can do to all objects of a set. */
export const BULK_ACTIONS = ['delete', 'update', 'move', 'add'] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

/** The body of POST common/resources/bulk/. */
export interface BulkChange {
  /** The name of the resource. */
  readonly resource: string;
  readonly action: BulkAction;
  /** The named set of the caller. */
  readonly spm: string;
  /** The fields of an update, with one value for all objects. */
  readonly changes?: Readonly<Record<string, unknown>>;
  /** The node that assets move to, or that they are added to. */
  readonly target?: string;
}

/** A set that the server made out of what a list matches. */
export interface NamedSet {
  readonly spm: string;
  readonly count: number;
}
