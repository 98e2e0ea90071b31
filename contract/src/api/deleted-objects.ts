/** Answer of POST common/deleted-objects/{id}/restore/. */
export interface RestoredObject {
  readonly id: string;
  readonly resource: string;
  readonly name: string;
  /** Links and rows that did not come back, in the language of the caller. */
  readonly missing: readonly string[];
}
