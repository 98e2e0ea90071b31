import { fieldOfHeader } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { t } from '../../../kit/i18n/index.ts';
import { newId } from '../../../kit/new-id.ts';
import { cacheKey, type Source } from '../source.ts';
import { decodeText, parseCsv, refusalOfFiles } from './csv-file.ts';
import { afterRejectedImport, type Check, checkRows, isGood } from './import-checks.ts';
import type { Imported, ImportMode, ImportModel, ImportStage } from './import-model.ts';
import { downloadProblems, reasonOf, sendRows, textOf, withCell } from './import-rows.ts';
import { isBlank, tableOf } from './verdicts.ts';
import { words } from './words.ts';

function withEditedCell(
  stage: ImportStage,
  line: number,
  column: number,
  text: string,
): ImportStage {
  if (stage.name !== 'checked') return stage;
  const verdicts = stage.verdicts.map((row) =>
    row.line === line ? withCell(row, column, text, stage.header.length) : row,
  );
  return { ...stage, verdicts };
}

/** Holds the stage of an import, and checks files and edited rows. A new check ends the last. */
function useChecks(source: Source) {
  const [stage, setStage] = useState<ImportStage>({ name: 'empty' });
  const work = useRef<AbortController>(undefined);

  function begin(): AbortSignal {
    work.current?.abort();
    work.current = new AbortController();
    return work.current.signal;
  }

  /** Sends rows for a check. */
  async function check(input: Omit<Check, 'job'>) {
    const before = stage;
    const job = newId();
    const { rows } = input.table;
    setStage({ name: 'checking', rows: rows.filter((row) => !isBlank(row)).length, job });
    const after = await checkRows(source, { ...input, job }, before);
    if (!input.signal.aborted) setStage(after);
  }

  async function checkFile(file: File, kind: ImportMode, nodes: boolean) {
    const signal = begin();
    setStage({ name: 'reading' });
    try {
      const table = tableOf(parseCsv(decodeText(new Uint8Array(await file.arrayBuffer()))));
      if (!signal.aborted)
        await check({ table, kind, nodes, signal, raw: table.hadProblems ? undefined : file });
    } catch (error) {
      // Report a file that was changed or removed after it was chosen.
      if (!signal.aborted) setStage({ name: 'refused', reason: reasonOf(error) });
    }
  }

  return { stage, setStage, begin, stop: () => work.current?.abort(), check, checkFile };
}

/**
 * Holds the state of an import: a dry run first, then the result, then the import. Draws nothing.
 */
export function useImport(source: Source, onDone: (imported: Imported) => void): ImportModel {
  const client = useQueryClient();
  const { stage, setStage, begin, stop, check, checkFile } = useChecks(source);
  const [mode, setMode] = useState<ImportMode>('create');
  const [file, setFile] = useState<File>();
  const [createNodes, setCreateNodes] = useState(false);
  const [imported, setImported] = useState<Imported>();
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
      if (!signal.aborted) setStage(afterRejectedImport(source, checked, error));
    }
  }

  function read(chosen: File, kind: ImportMode) {
    setImported(undefined);
    void checkFile(chosen, kind, createNodes);
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
    read(chosen, mode);
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
      if (file) read(file, kind);
    },
    chooseFiles,
    setCreateNodes: (on) => {
      setCreateNodes(on);
      checkNow(on);
    },
    changeCell: (line, column, text) => setStage((now) => withEditedCell(now, line, column, text)),
    checkAgain: () => checkNow(createNodes),
    importGood,
    downloadBad: () => {
      if (!checked) return;
      downloadProblems(`${source.name}_problems.csv`, checked.header, bad);
    },
    stop,
  };
}
