import { ApiError, api, type FieldMessages } from '../../../kit/api.ts';
import { download } from '../../../kit/download.ts';
import { t } from '../../../kit/i18n/index.ts';
import { listUrl, type Source } from '../source.ts';
import { csvText } from './csv-file.ts';
import type { ImportMode } from './import-model.ts';
import { noteOf, type Table, type Verdict } from './verdicts.ts';
import { words } from './words.ts';

const CSV = 'text/csv';

const METHODS = { create: 'POST', update: 'PUT' } as const;

export const textOf = ({ header, rows }: Table) =>
  csvText([header, ...rows.map(({ cells }) => padded(cells, header.length))]);

const padded = (cells: readonly string[], length: number) =>
  Array.from({ length }, (_, at) => cells[at] ?? '');

export const withCell = (row: Verdict, column: number, text: string, columns: number): Verdict => ({
  ...row,
  cells: padded(row.cells, columns).with(column, text),
  changed: true,
});

interface SentRows {
  readonly content: File | string;
  readonly kind: ImportMode;
  readonly query: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Sends rows as CSV; returns the rows of the server. */
export const sendRows = (source: Source, { content, kind, query, signal }: SentRows) =>
  api.send<readonly { readonly id: string }[]>(
    METHODS[kind],
    listUrl(source),
    { content: typeof content === 'string' ? new Blob([content]) : content, type: CSV },
    { query: { ...query, unknown_columns: 'refuse' }, signal, quiet: true },
  );

export const reasonOf = (error: unknown) =>
  error instanceof Error ? error.message : String(error);

/** Returns the errors of a failed request by row. */
export const itemsOf = (error: unknown): readonly FieldMessages[] | undefined =>
  error instanceof ApiError ? error.items : undefined;

/** Downloads rows with a column that describes their problems. */
export function downloadProblems(
  name: string,
  header: readonly string[],
  rows: readonly Verdict[],
): void {
  const records = [
    [...header, t(words.problemColumn)],
    ...rows.map((row) => [...padded(row.cells, header.length), noteOf(row)]),
  ];
  const address = URL.createObjectURL(new Blob([csvText(records)], { type: CSV }));
  download(address, name);
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
