import { randomUUID } from 'node:crypto';
import {
  FILE_ACTIONS,
  type FileAction,
  type FileChange,
  type FileChangeLine,
  MAX_CHOSEN_FILES,
  MAX_TEXT_FILE,
  Permission,
  TEXT_CHARSETS,
  type TextFile,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../../http/context.ts';
import { route } from '../../../http/route.ts';
import { fileOf, samples } from '../../../http/shapes.ts';
import { Rejected } from '../../../platform/errors.ts';
import { within } from '../../../platform/within.ts';
import { readText, writeText } from '../../listeners/files/text.ts';
import { isFault, problemOf, Refusal, wordProblem } from '../../refusal.ts';
import type { RemoteFiles, RemovalOptions } from '../../sessions/files/remote-files.ts';
import { answered, FILES, PATH, pathOf, personOf, sendLines, targetOf } from './file-answers.ts';
import type { FileRouteOptions } from './file-routes.ts';
import { mountFileUploadRoutes } from './file-upload-routes.ts';

const MAX_MODE = 0o7777;
/** Interval between two lines of progress. */
const PROGRESS_MS = 1000;
const TEXT = samples<TextFile>({
  text: 'listen 80;\n',
  charset: 'utf-8',
  version: '1767225600-11',
});
const CHANGE = samples<FileChange>(
  {
    action: 'rename',
    items: [{ path: '/reports/old.csv', to: '/reports/new.csv' }],
    overwrite: false,
  },
  { action: 'chmod', items: [{ path: '/reports' }], mode: 0o750 },
);
const CHANGED = fileOf(
  'application/x-ndjson',
  '{"item":0}\n{"item":1,"code":"file_exists","message":"There is a file or folder of this name already."}\n{"end":true}\n',
);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Routes that change files of an asset. */
export function mountFileChangeRoutes(app: FastifyInstance, { pool, log }: FileRouteOptions): void {
  route(app, {
    method: 'POST',
    url: `${FILES}changes/`,
    access: Permission.USE,
    summary:
      'Rename, move, copy, delete or create files or set their permissions, in order. Each has a line; the last line is `end`.',
    bodyShape: CHANGE,
    answer: CHANGED,
    handler: (context) =>
      answered(async () => {
        const change = readChange(context.request.body);
        const hold = await pool.hold(personOf(context), targetOf(context));
        return sendLines(
          context,
          changing(context, hold.files.session.files, change, hold.release),
          { waiting: true },
        );
      }),
  });

  async function* changing(
    { language, reply }: Context,
    files: RemoteFiles,
    change: FileChange,
    release: () => void,
  ): AsyncGenerator<FileChangeLine> {
    const stopped = new AbortController();
    reply.raw.once('close', () => stopped.abort());
    try {
      for (const item of change.items.keys()) {
        try {
          let removed = 0;
          const onRemoved = (count: number) => {
            removed = count;
          };
          const work = apply(files, change, item, { signal: stopped.signal, onRemoved });
          const done = work.then(() => true);
          while (!(await within(done, PROGRESS_MS, () => false)))
            if (removed > 0) yield { item, removed };
          yield { item };
        } catch (error) {
          const problem = problemOf(error);
          if (isFault(problem)) log.error({ err: error }, 'a change of the file manager failed');
          yield { item, code: problem.code, message: wordProblem(problem, language) };
        }
      }
      yield { end: true };
    } finally {
      release();
    }
  }

  route(app, {
    method: 'GET',
    url: `${FILES}text/`,
    access: Permission.USE,
    summary: 'A text file, with its charset and the version to name when it is saved.',
    query: PATH,
    answer: TEXT,
    handler: (context): Promise<TextFile> =>
      answered(() =>
        pool.use(personOf(context), targetOf(context), ({ session }) =>
          readText(session.files, pathOf(context)),
        ),
      ),
  });

  route(app, {
    method: 'PUT',
    url: `${FILES}text/`,
    access: Permission.USE,
    summary:
      'Save a text file, unless it has changed since the version that is named. An empty version saves it in any case.',
    query: PATH,
    bodyShape: TEXT,
    answer: samples<{ readonly version: string }>({ version: '1767225660-12' }),
    handler: (context): Promise<{ readonly version: string }> =>
      answered(async () => {
        const edited = readEdited(context.request.body);
        return pool.use(personOf(context), targetOf(context), async ({ session }) => ({
          version: await writeText(session.files, pathOf(context), edited),
        }));
      }),
  });

  mountFileUploadRoutes(app, pool);
}

function readPath(value: unknown): string {
  if (typeof value !== 'string' || !value.startsWith('/')) throw new Refusal('file_name');
  return value;
}

function readChange(body: unknown): FileChange {
  const { action, items, mode, overwrite } = isRecord(body) ? body : {};
  const known = FILE_ACTIONS.find((name) => name === action);
  if (!known) throw new Rejected('malformed_request');
  if (!Array.isArray(items) || items.length === 0 || items.length > MAX_CHOSEN_FILES)
    throw new Refusal('file_chosen', { max: MAX_CHOSEN_FILES });
  if (
    known === 'chmod' &&
    (typeof mode !== 'number' || !Number.isInteger(mode) || mode < 0 || mode > MAX_MODE)
  )
    throw new Rejected('malformed_request');
  const needsTarget = known === 'rename' || known === 'move' || known === 'copy';
  return {
    action: known,
    items: items.map((item: unknown) => {
      const { path, to } = isRecord(item) ? item : {};
      return { path: readPath(path), ...(needsTarget && { to: readPath(to) }) };
    }),
    ...(known === 'chmod' && { mode: Number(mode) }),
    overwrite: overwrite === true,
  };
}

async function apply(
  files: RemoteFiles,
  { action, items, mode = 0, overwrite = false }: FileChange,
  index: number,
  options: RemovalOptions,
): Promise<void> {
  const { path = '/', to = '/' } = items[index] ?? {};
  const work: Readonly<Record<FileAction, () => Promise<void>>> = {
    rename: () => files.rename(path, to, { overwrite }),
    move: () => files.rename(path, to, { overwrite }),
    async copy() {
      if (overwrite && path !== to && (await exists(files, to)))
        await files.remove(to, { recursive: true, ...options });
      await files.copy(path, to);
    },
    delete: () => files.remove(path, { recursive: true, ...options }),
    make_folder: () => files.makeFolder(path),
    async make_file() {
      const upload = await files.upload(path, {
        size: 0,
        overwrite: false,
        uploadId: randomUUID().slice(0, 24),
      });
      await upload.complete();
    },
    chmod: () => files.setAttributes(path, { mode }),
  };
  await work[action]();
}

async function exists(files: RemoteFiles, path: string): Promise<boolean> {
  try {
    await files.stat(path);
    return true;
  } catch (error) {
    if (problemOf(error).code === 'file_not_found') return false;
    throw error;
  }
}

function readEdited(body: unknown): TextFile {
  const { text: content, charset, version } = isRecord(body) ? body : {};
  const known = TEXT_CHARSETS.find((name) => name === charset);
  if (typeof content !== 'string' || !known || typeof version !== 'string' || version.length > 64)
    throw new Rejected('malformed_request');
  if (content.length > MAX_TEXT_FILE) throw new Refusal('file_too_large', { max: MAX_TEXT_FILE });
  return { text: content, charset: known, version };
}
