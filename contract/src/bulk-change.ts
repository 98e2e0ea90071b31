/** Maximum ids of a set, and so of one bulk change. */
export const SET_MAX = 250_000;
/** Maximum rows that one request changes; for more, a job processes a set. */
export const MANY_ROWS = 1_000;

/** Actions of a job on all objects of a set. */
export const BULK_ACTIONS = ['delete', 'update', 'move', 'add'] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

/** The body of POST common/resources/bulk/. */
export interface BulkChange {
  readonly resource: string;
  readonly action: BulkAction;
  /** Id of the caller's set. */
  readonly spm: string;
  /** Fields of an update, with one value for all objects. */
  readonly changes?: Readonly<Record<string, unknown>>;
  /** The node to which assets move or are added. */
  readonly target?: string;
}

/** A set created by the server from the matches of a list. */
export interface NamedSet {
  readonly spm: string;
  readonly count: number;
}
