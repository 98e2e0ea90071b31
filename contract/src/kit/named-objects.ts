export interface ObjectRef {
  readonly resource: string;
  readonly id: string;
}

/** Objects named by the texts of a row, by field: existing ones that the caller may read. */
export type NamedObjects = Readonly<Record<string, ObjectRef>>;

/** A linked object in the row of another one. */
export interface NamedRow {
  readonly id: string;
  readonly name: string;
}
