import type { Verdict } from './verdicts.ts';

/** Creates rows, or updates existing ones. */
export type ImportMode = 'create' | 'update';

/** The stage of an import. */
export type ImportStage =
  | { readonly name: 'empty'; readonly refusal?: string }
  | { readonly name: 'reading' }
  | { readonly name: 'checking' | 'writing'; readonly rows: number; readonly job: string }
  | { readonly name: 'refused'; readonly reason: string }
  | {
      readonly name: 'checked';
      readonly header: readonly string[];
      readonly verdicts: readonly Verdict[];
      readonly problem?: string;
    };

/** Result of an import: the rows, and the jobs to undo. */
export interface Imported {
  readonly jobs: readonly string[];
  readonly ids: readonly string[];
  readonly mode: ImportMode;
}

export interface ImportModel {
  readonly mode: ImportMode;
  readonly stage: ImportStage;
  /** The name of the chosen file. */
  readonly file: string | undefined;
  readonly busy: boolean;
  /** Number of rows without problems, and with problems. */
  readonly good: number;
  readonly bad: number;
  /** True if the user edited a cell after the check. */
  readonly changed: boolean;
  /** Rows of this file that are imported already, while others wait. */
  readonly imported: Imported | undefined;
  /** Creates nodes that the file names and that do not exist. */
  readonly createNodes: boolean;
  /** Returns the field of a column. */
  readonly fieldOf: (header: string) => string | undefined;
  readonly chooseMode: (mode: ImportMode) => void;
  readonly chooseFiles: (files: readonly File[]) => void;
  readonly setCreateNodes: (on: boolean) => void;
  readonly changeCell: (line: number, column: number, text: string) => void;
  readonly checkAgain: () => void;
  /** Imports the good rows; rows with problems stay. */
  readonly importGood: () => Promise<void>;
  /** Downloads the rows with problems and a column that describes them. */
  readonly downloadBad: () => void;
  /** Cancels the current request. */
  readonly stop: () => void;
}
