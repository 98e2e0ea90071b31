import { fieldOfHeader, say } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ApiError, api, type FieldMessages } from '../../../kit/api.ts';
import { download } from '../../../kit/download.ts';
import { language, t } from '../../../kit/i18n/index.ts';
import { newId } from '../../../kit/new-id.ts';
import { cacheKey, listUrl, type Source } from '../source.ts';
import { csvText, decodeText, parseCsv, refusalOfFiles } from './csv-file.ts';
import {
  isBlank,
  noteOf,
  type Table,
  tableOf,
  type Verdict,
  verdictsOf,
  withMissingColumns,
} from './verdicts.ts';
import { words } from './words.ts';

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

const CSV = 'text/csv';
const METHODS = { create: 'POST', update: 'PUT' } as const;

const isGood = ({ problems, changed }: Verdict) => problems.length === 0 && !changed;

/**
 * Holds the state of an import: a dry run first, then the result, then the import. Draws nothing.
 */
export function useImport(source: Source, onDone: (imported: Imported) => void): ImportModel {
  const client = useQueryClient();
  const [mode, setMode] = useState<ImportMode>('create');
  const [stage, setStage] = useState<ImportStage>({ name: 'empty' });
  const [file, setFile] = useState<File>();
  const [createNodes, setCreateNodes] = useState(false);
  const [imported, setImported] = useState<Imported>();
  const work = useRef<AbortController>(undefined);
  const labelOf = (name: string) => {
    const field = source.fields[name];
    return field ? say(field.label, language) : name;
  };

  const send = (
    content: File | string,
    kind: ImportMode,
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ) =>
    api.send<readonly { readonly id: string }[]>(
      METHODS[kind],
      listUrl(source),
      { content: typeof content === 'string' ? new Blob([content]) : content, type: CSV },
      { query: { ...query, unknown_columns: 'refuse' }, signal, quiet: true },
    );

  function begin(): AbortSignal {
    work.current?.abort();
    work.current = new AbortController();
    return work.current.signal;
  }

  const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
  const itemsOf = (error: unknown): readonly FieldMessages[] | undefined =>
    error instanceof ApiError ? error.items : undefined;

  function show({ header, rows }: Table, items: readonly FieldMessages[] | undefined) {
    const verdicts = verdictsOf(rows, items, labelOf);
    setStage({
      name: 'checked',
      header: withMissingColumns(header, verdicts, source.fields, labelOf),
      verdicts,
    });
  }

  /** Sends rows for a check; `raw` is the unedited file. */
  async function check(
    table: Table,
    kind: ImportMode,
    nodes: boolean,
    signal: AbortSignal,
    raw?: File,
  ) {
    const before = stage;
    const job = newId();
    setStage({ name: 'checking', rows: table.rows.filter((row) => !isBlank(row)).length, job });
    try {
      await send(
        raw ?? textOf(table),
        kind,
        { dry_run: '1', job, ...(nodes && { create_missing: 'node' }) },
        signal,
      );
      if (!signal.aborted) show(table, undefined);
    } catch (error) {
      if (signal.aborted) return;
      const items = itemsOf(error);
      if (items) show(table, items);
      // Keep edits of the grid after a lost connection.
      else
        setStage(
          before.name === 'checked' && !raw
            ? { ...before, problem: reasonOf(error) }
            : { name: 'refused', reason: reasonOf(error) },
        );
    }
  }

  async function read(chosen: File, kind: ImportMode, nodes: boolean) {
    const signal = begin();
    setImported(undefined);
    setStage({ name: 'reading' });
    try {
      const table = tableOf(parseCsv(decodeText(new Uint8Array(await chosen.arrayBuffer()))));
      if (!signal.aborted)
        await check(table, kind, nodes, signal, table.hadProblems ? undefined : chosen);
    } catch (error) {
      // Report a file that was changed or removed after it was chosen.
      if (!signal.aborted) setStage({ name: 'refused', reason: reasonOf(error) });
    }
  }

  const checked = stage.name === 'checked' ? stage : undefined;
  const good = checked?.verdicts.filter(isGood) ?? [];
  const bad = checked?.verdicts.filter((verdict) => !isGood(verdict)) ?? [];

  async function importGood() {
    if (!checked || good.length === 0) return;
    const { header } = checked;
    const signal = begin();
    const job = newId();
    setStage({ name: 'writing', rows: good.length, job });
    try {
      const rows = await send(
        textOf({ header, rows: good }),
        mode,
        { job, ...(createNodes && { create_missing: 'node' }) },
        signal,
      );
      if (signal.aborted) return;
      // Refresh the whole area: the tree has new nodes, and labels and domains count assets.
      await client.invalidateQueries({ queryKey: cacheKey(source).slice(0, 2) });
      const done = {
        jobs: [...(imported?.jobs ?? []), job],
        ids: [...(imported?.ids ?? []), ...rows.map(({ id }) => id)],
        mode,
      };
      if (bad.length === 0) onDone(done);
      else {
        setImported(done);
        setStage({ name: 'checked', header, verdicts: bad });
      }
    } catch (error) {
      if (signal.aborted) return;
      const items = itemsOf(error);
      if (!items) return setStage({ ...checked, problem: reasonOf(error) });
      // The data on the server changed between check and import.
      const verdicts = [...verdictsOf(good, items, labelOf), ...bad].toSorted(
        (one, other) => one.line - other.line,
      );
      setStage({ name: 'checked', header, verdicts });
    }
  }

  return {
    mode,
    stage,
    file: file?.name,
    busy: stage.name === 'reading' || stage.name === 'checking' || stage.name === 'writing',
    good: good.length,
    bad: bad.length,
    changed: bad.some(({ changed = false }) => changed),
    imported,
    createNodes,
    fieldOf: (header) => fieldOfHeader(source.fields, header),
    chooseMode: (kind) => {
      setMode(kind);
      if (file) void read(file, kind, createNodes);
    },
    chooseFiles: (files) => {
      const refusal = refusalOfFiles(files.map(({ name }) => name));
      const [chosen] = files;
      if (refusal || !chosen) {
        begin();
        setFile(undefined);
        setStage({
          name: 'empty',
          ...(refusal && { refusal: t(refusal === 'only-one' ? words.onlyOne : words.onlyCsv) }),
        });
        return;
      }
      setFile(chosen);
      void read(chosen, mode, createNodes);
    },
    setCreateNodes: (on) => {
      setCreateNodes(on);
      if (checked)
        void check({ header: checked.header, rows: checked.verdicts }, mode, on, begin());
    },
    changeCell: (line, column, text) =>
      setStage((now) =>
        now.name === 'checked'
          ? {
              ...now,
              verdicts: now.verdicts.map((row) =>
                row.line === line ? withCell(row, column, text, now.header.length) : row,
              ),
            }
          : now,
      ),
    checkAgain: () => {
      if (checked)
        void check({ header: checked.header, rows: checked.verdicts }, mode, createNodes, begin());
    },
    importGood,
    downloadBad: () => {
      if (!checked) return;
      const records = [
        [...checked.header, t(words.problemColumn)],
        ...bad.map((row) => [...padded(row.cells, checked.header.length), noteOf(row)]),
      ];
      const address = URL.createObjectURL(new Blob([csvText(records)], { type: CSV }));
      download(address, `${source.name}_problems.csv`);
      setTimeout(() => URL.revokeObjectURL(address), 60_000);
    },
    stop: () => work.current?.abort(),
  };
}

const textOf = ({ header, rows }: Table) =>
  csvText([header, ...rows.map(({ cells }) => padded(cells, header.length))]);

const padded = (cells: readonly string[], length: number) =>
  Array.from({ length }, (_, at) => cells[at] ?? '');

const withCell = (row: Verdict, column: number, text: string, columns: number): Verdict => ({
  ...row,
  cells: padded(row.cells, columns).with(column, text),
  changed: true,
});
