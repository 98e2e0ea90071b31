/** Rows of a table as JSON, by column. */
export type JsonRow = Readonly<Record<string, unknown>>;

/** A deleted object with everything that its restoration needs. Stored sealed. */
export interface KeptObject {
  /** Owner of the document: it opens for no other one. Absent in documents of earlier releases. */
  readonly of?: KeptOwner;
  /** Writable values in wire form, as the reader showed them. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Secrets in plain text, by field. */
  readonly secrets: Readonly<Record<string, string>>;
  /** All other columns. */
  readonly row: JsonRow;
  /** Objects that named this one, by link field of their resource. */
  readonly links: readonly KeptLinks[];
  /** Rows of other tables by table; sealed columns are in plain text. */
  readonly following: Readonly<Record<string, readonly JsonRow[]>>;
  /** Names of the linked objects by id, to name those that no longer exist. */
  readonly names: Readonly<Record<string, string>>;
}

export interface KeptLinks {
  readonly resource: string;
  readonly field: string;
  readonly ids: readonly string[];
}

/** The organization of a deleted object, and its kind. */
export interface KeptOwner {
  readonly organization: string;
  readonly resource: string;
}
