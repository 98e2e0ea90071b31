import { fieldOfHeader, say } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { FieldMessages } from '../../../kit/api.ts';
import { language, t } from '../../../kit/i18n/index.ts';
import { newId } from '../../../kit/new-id.ts';
import { cacheKey, type Source } from '../source.ts';
import { decodeText, parseCsv, refusalOfFiles } from './csv-file.ts';
import type { Imported, ImportMode, ImportModel, ImportStage } from './import-model.ts';
import { downloadProblems, itemsOf, reasonOf, sendRows, textOf, withCell } from './import-rows.ts';
import {
  isBlank,
  type Table,
  tableOf,
  type Verdict,
  verdictsOf,
  withMissingColumns,
} from './verdicts.ts';
import { words } from './words.ts';

const isGood = ({ problems, changed }: Verdict) => problems.length === 0 && !changed;

/** The rows to check, and how. */
interface Check {
  readonly table: Table;
  readonly kind: ImportMode;
  /** Creates missing nodes. */
  readonly nodes: boolean;
  readonly signal: AbortSignal;
  /** The unedited file. */
  readonly raw?: File | undefined;
}

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

  function begin(): AbortSignal {
    work.current?.abort();
    work.current = new AbortController();
    return work.current.signal;
  }

  function show({ header, rows }: Table, items: readonly FieldMessages[] | undefined) {
    const verdicts = verdictsOf(rows, items, labelOf);
    setStage({
      name: 'checked',
      header: withMissingColumns(header, verdicts, source.fields, labelOf),
      verdicts,
    });
  }

  /** Sends rows for a check. */
  async function check({ table, kind, nodes, signal, raw }: Check) {
    const before = stage;
    const job = newId();
    setStage({ name: 'checking', rows: table.rows.filter((row) => !isBlank(row)).length, job });
    try {
      await sendRows(source, {
        content: raw ?? textOf(table),
        kind,
        query: { dry_run: '1', job, ...(nodes && { create_missing: 'node' }) },
        signal,
      });
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
        await check({ table, kind, nodes, signal, raw: table.hadProblems ? undefined : chosen });
    } catch (error) {
      // Report a file that was changed or removed after it was chosen.
      if (!signal.aborted) setStage({ name: 'refused', reason: reasonOf(error) });
    }
  }

  const checked = stage.name === 'checked' ? stage : undefined;
  const good = checked?.verdicts.filter(isGood) ?? [];
  const bad = checked?.verdicts.filter((verdict) => !isGood(verdict)) ?? [];

  /** Checks the rows of the grid again. */
  function checkNow(nodes: boolean) {
    if (!checked) return;
    const table = { header: checked.header, rows: checked.verdicts };
    void check({ table, kind: mode, nodes, signal: begin() });
  }

  async function importGood() {
    if (!checked || good.length === 0) return;
    const { header } = checked;
    const signal = begin();
    const job = newId();
    setStage({ name: 'writing', rows: good.length, job });
    try {
      const rows = await sendRows(source, {
        content: textOf({ header, rows: good }),
        kind: mode,
        query: { job, ...(createNodes && { create_missing: 'node' }) },
        signal,
      });
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

  function chooseFiles(files: readonly File[]) {
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
    chooseFiles,
    setCreateNodes: (on) => {
      setCreateNodes(on);
      checkNow(on);
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
    checkAgain: () => checkNow(createNodes),
    importGood,
    downloadBad: () => {
      if (!checked) return;
      downloadProblems(`${source.name}_problems.csv`, checked.header, bad);
    },
    stop: () => work.current?.abort(),
  };
}
