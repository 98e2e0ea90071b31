/** Wire shapes shared by resources: errors, OPTIONS metadata, and undoing an import. */

/**
 * The body of all errors except field problems: `detail` is one sentence in the caller's language.
 */
export interface ErrorBody {
  readonly code: string;
  readonly detail: string;
}

/** Field problems: sentences by field. */
export type FieldErrorBody = Readonly<Record<string, readonly string[]>>;

export interface FieldMetadata {
  readonly type: string;
  readonly required: boolean;
  readonly read_only: boolean;
  readonly label: string;
  readonly help_text?: string;
  readonly min_length?: number;
  readonly max_length?: number;
  readonly min_value?: number;
  readonly max_value?: number;
  readonly write_only: boolean;
  readonly child?: FieldMetadata;
  /** The fields of a nested object. */
  readonly children?: Readonly<Record<string, FieldMetadata>>;
  readonly choices?: readonly {
    readonly value: string | number | boolean;
    readonly display_name: string;
  }[];
  readonly filter?: true;
  readonly order?: true;
  /** Our own additions: the target resource of a relation, and the initial value of a new form. */
  readonly target?: string;
  readonly multiple?: boolean;
  readonly multiline?: boolean;
  readonly default?: unknown;
}

export interface ResourceMetadata {
  readonly name: string;
  readonly description: string;
  readonly renders: readonly string[];
  readonly parses: readonly string[];
  readonly actions?: Readonly<
    Partial<Record<'GET' | 'POST' | 'PUT', Readonly<Record<string, FieldMetadata>>>>
  >;
}

/** Rows that undoing an import keeps: they were changed or used since. */
interface KeptRows {
  readonly kept: number;
  /** Names of the first of them. */
  readonly kept_names: readonly string[];
}

/** Preview of undoing an import. */
export interface ImportToUndo extends KeptRows {
  /** Id of the import's job. */
  readonly id: string;
  readonly resource: string;
  readonly resource_display: string;
  readonly count: number;
  /** Existing nodes of the import; the empty ones are deleted too. */
  readonly nodes: number;
}

export interface UndoneImport extends KeptRows {
  readonly removed: number;
  readonly removed_nodes: number;
}
