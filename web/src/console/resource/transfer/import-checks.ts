import { say } from '@sallyport/contract';
import type { FieldMessages } from '../../../kit/api.ts';
import { language } from '../../../kit/i18n/index.ts';
import type { Source } from '../source.ts';
import type { ImportMode, ImportStage } from './import-model.ts';
import { itemsOf, reasonOf, sendRows, textOf } from './import-rows.ts';
import { type Table, type Verdict, verdictsOf, withMissingColumns } from './verdicts.ts';

export type CheckedStage = Extract<ImportStage, { readonly name: 'checked' }>;

/** The rows to check, and how. */
export interface Check {
  readonly table: Table;
  readonly kind: ImportMode;
  /** Creates missing nodes. */
  readonly nodes: boolean;
  readonly signal: AbortSignal;
  /** The unedited file. */
  readonly raw?: File | undefined;
  readonly job: string;
}

/** Returns true if a row has passed its check and was not edited since. */
export const isGood = ({ problems, changed }: Verdict) => problems.length === 0 && !changed;

const labelsOf = (source: Source) => (name: string) => {
  const field = source.fields[name];
  return field ? say(field.label, language) : name;
};

function checkedStage(
  source: Source,
  { header, rows }: Table,
  items: readonly FieldMessages[] | undefined,
): CheckedStage {
  const labelOf = labelsOf(source);
  const verdicts = verdictsOf(rows, items, labelOf);
  return {
    name: 'checked',
    header: withMissingColumns(header, verdicts, source.fields, labelOf),
    verdicts,
  };
}

/** Sends rows for a check. Returns the stage with the result, after the stage `before`. */
export async function checkRows(
  source: Source,
  { table, kind, nodes, signal, raw, job }: Check,
  before: ImportStage,
): Promise<ImportStage> {
  try {
    await sendRows(source, {
      content: raw ?? textOf(table),
      kind,
      query: { dry_run: '1', job, ...(nodes && { create_missing: 'node' }) },
      signal,
    });
    return checkedStage(source, table, undefined);
  } catch (error) {
    const items = itemsOf(error);
    if (items) return checkedStage(source, table, items);
    // Keep edits of the grid after a lost connection.
    return before.name === 'checked' && !raw
      ? { ...before, problem: reasonOf(error) }
      : { name: 'refused', reason: reasonOf(error) };
  }
}

/** Returns the stage after the server rejected the good rows of a checked file. */
export function afterRejectedImport(
  source: Source,
  checked: CheckedStage,
  error: unknown,
): CheckedStage {
  const items = itemsOf(error);
  if (!items) return { ...checked, problem: reasonOf(error) };
  // The data on the server changed between check and import.
  const verdicts = [
    ...verdictsOf(checked.verdicts.filter(isGood), items, labelsOf(source)),
    ...checked.verdicts.filter((verdict) => !isGood(verdict)),
  ].toSorted((one, other) => one.line - other.line);
  return { name: 'checked', header: checked.header, verdicts };
}
