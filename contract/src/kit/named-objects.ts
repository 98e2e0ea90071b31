/** An object by its resource and its id. */
export interface ObjectRef {
  readonly resource: string;
  readonly id: string;
}

/** The objects that the texts of a row name, by field: those that exist and that the caller may read. */
export type NamedObjects = Readonly<Record<string, ObjectRef>>;

/** An object as a list shows it in the row of another one. */
export interface NamedRow {
  readonly id: string;
  readonly name: string;
}
