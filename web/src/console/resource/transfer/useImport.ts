import { say } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ApiError, api } from '../../../kit/api.ts';
import { language, t } from '../../../kit/i18n/index.ts';
import { newId } from '../../../kit/new-id.ts';
import { toast } from '../../../kit/toast.tsx';
import { cacheKey, listUrl, type Source } from '../source.ts';
import { decodeText, parseCsv, refusalOfFiles } from './csv-file.ts';
import { type Verdict, verdictsOf } from './verdicts.ts';
import { words } from './words.ts';

/** What a file does: new rows, or changes of rows that are there. */
export type ImportMode = 'create' | 'update';

/** How far an import has come. */
export type ImportStage =
  | { readonly name: 'empty'; readonly refusal?: string }
  | { readonly name: 'reading'; readonly file: File }
  | { readonly name: 'checking' | 'writing'; readonly file: File; readonly rows: number; readonly job: string }
  | { readonly name: 'refused'; readonly file: File; readonly reason: string }
  | { readonly name: 'checked'; readonly file: File; readonly header: readonly string[]; readonly verdicts: readonly Verdict[]; readonly bad: number };

export interface ImportModel {
  readonly mode: ImportMode;
  readonly stage: ImportStage;
  readonly busy: boolean;
  /** Whether every row is good, so that the import can begin. */
  readonly ready: boolean;
  readonly chooseMode: (mode: ImportMode) => void;
  readonly chooseFiles: (files: readonly File[]) => void;
  readonly confirm: () => Promise<void>;
  /** Stops what is under way. */
  readonly stop: () => void;
}

const CSV = 'text/csv';

const METHODS = { create: 'POST', update: 'PUT' } as const;

/** Checks a file without writing anything, shows what was found, and imports it only after that. Draws nothing. */
export function useImport(source: Source, onDone: () => void): ImportModel {
  const client = useQueryClient();
  const [mode, setMode] = useState<ImportMode>('create');
  const [stage, setStage] = useState<ImportStage>({ name: 'empty' });
  const work = useRef<AbortController>(undefined);
  const labelOf = (name: string) => {
    const field = source.fields[name];
    return field ? say(field.label, language) : name;
  };

  const send = (file: File, kind: ImportMode, query: Readonly<Record<string, string>>, signal: AbortSignal) =>
    api.send<readonly unknown[]>(
      METHODS[kind],
      listUrl(source),
      { content: file, type: CSV },
      {
        query: { ...query, unknown_columns: 'refuse' },
        signal,
        quiet: true,
      },
    );

  function begin(): AbortSignal {
    work.current?.abort();
    work.current = new AbortController();
    return work.current.signal;
  }

  function show(file: File, records: readonly (readonly string[])[], error?: unknown) {
    if (error !== undefined && !(error instanceof ApiError && error.items)) {
      setStage({ name: 'refused', file, reason: error instanceof Error ? error.message : String(error) });
      return;
    }
    const verdicts = verdictsOf(records, error instanceof ApiError ? error.items : undefined, labelOf);
    setStage({ name: 'checked', file, header: records[0] ?? [], verdicts, bad: verdicts.filter(({ problems }) => problems.length > 0).length });
  }

  /** Runs the file through the server, for real or only to see; `true` when it has nothing against it. */
  async function run(file: File, kind: ImportMode, query: Readonly<Record<string, string>>, stageName: 'checking' | 'writing'): Promise<number | undefined> {
    const signal = begin();
    setStage({ name: 'reading', file });
    let records: string[][] = [];
    try {
      records = parseCsv(decodeText(new Uint8Array(await file.arrayBuffer())));
      if (signal.aborted) return undefined;
      const job = newId();
      setStage({ name: stageName, file, rows: verdictsOf(records, undefined, labelOf).length, job });
      const rows = await send(file, kind, { ...query, job }, signal);
      if (signal.aborted) return undefined;
      if (stageName === 'checking') show(file, records);
      return rows.length;
    } catch (error) {
      // A file that was changed or removed since it was chosen cannot be read any more: that is said, too.
      if (!signal.aborted) show(file, records, error);
      return undefined;
    }
  }

  const check = (file: File, kind: ImportMode) => void run(file, kind, { dry_run: '1' }, 'checking');
  const busy = stage.name === 'reading' || stage.name === 'checking' || stage.name === 'writing';
  const ready = stage.name === 'checked' && stage.bad === 0 && stage.verdicts.length > 0;

  return {
    mode,
    stage,
    busy,
    ready,
    chooseMode: (kind) => {
      setMode(kind);
      if (stage.name !== 'empty') check(stage.file, kind);
    },
    chooseFiles: (files) => {
      const refusal = refusalOfFiles(files.map(({ name }) => name));
      const [file] = files;
      if (refusal || !file) {
        begin();
        setStage({ name: 'empty', ...(refusal && { refusal: t(refusal === 'only-one' ? words.onlyOne : words.onlyCsv) }) });
      } else check(file, mode);
    },
    confirm: async () => {
      if (stage.name !== 'checked') return;
      const count = await run(stage.file, mode, {}, 'writing');
      if (count === undefined) return;
      await client.invalidateQueries({ queryKey: cacheKey(source) });
      toast.success(t(mode === 'create' ? words.createdAll : words.updatedAll, { count }));
      onDone();
    },
    stop: () => work.current?.abort(),
  };
}
