import { randomUUID } from 'node:crypto';
import {
  FILE_ACTIONS,
  type FileAction,
  type FileChange,
  type FileChangeLine,
  MAX_CHOSEN_FILES,
  MAX_TEXT_FILE,
  MAX_UPLOAD_PIECE,
  Permission,
  TEXT_CHARSETS,
  type TextFile,
  text,
  type UploadState,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { parameter, route } from '../../http/route.ts';
import { fileOf, samples } from '../../http/shapes.ts';
import { Rejected, TooLarge } from '../../platform/errors.ts';
import { readText, writeText } from '../listeners/files/text.ts';
import type { UploadRequest } from '../listeners/files/uploads.ts';
import { problemOf, Refusal, wordProblem } from '../refusal.ts';
import type { RemoteFiles } from '../sessions/files/remote-files.ts';
import { answered, pathOf, personOf, sendLines, targetOf } from './file-answers.ts';
import { FILES, type FileRouteOptions, PATH } from './file-routes.ts';

const UPLOAD_ID = /^[A-Za-z0-9-]{8,64}$/;
/** Bytes; far above what a file system has. */
const MOST_SIZE = 2 ** 50;
const MOST_MODE = 0o7777;
const TEXT = samples<TextFile>({
  text: 'listen 80;\n',
  charset: 'utf-8',
  version: '1767225600-11',
});
const STATE = samples<UploadState>(
  { offset: 4096, complete: false },
  {
    offset: 4096,
    complete: true,
    sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  },
);
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
const number = (
  label: { readonly en: string; readonly zh: string },
  example: string,
  required = true,
) => text({ label, max: 16, required, example });
const PIECE = {
  ...PATH,
  size: number({ en: 'Size', zh: '大小' }, '4096'),
  offset: number({ en: 'Offset', zh: '偏移' }, '0', false),
  modified_at: number({ en: 'Modified at', zh: '修改时间' }, '1767225600', false),
  overwrite: number({ en: 'Overwrite', zh: '覆盖' }, '1', false),
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Changing files of an asset. */
export function mountFileChangeRoutes(app: FastifyInstance, { pool, log }: FileRouteOptions): void {
  route(app, {
    method: 'POST',
    url: `${FILES}changes/`,
    access: Permission.USE,
    summary:
      'Rename, move, copy, delete, make or set the permissions of files, one after the other. Each has a line; the last one is `end`.',
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
    { language }: Context,
    files: RemoteFiles,
    change: FileChange,
    release: () => void,
  ): AsyncGenerator<FileChangeLine> {
    try {
      for (const item of change.items.keys()) {
        try {
          await apply(files, change, item);
          yield { item };
        } catch (error) {
          const problem = problemOf(error);
          if (problem.code === 'internal')
            log.error({ err: error }, 'a change of the file manager failed');
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

  const uploadOf = (context: Context): UploadRequest => {
    const id = parameter(context, 'upload');
    if (!UPLOAD_ID.test(id)) throw new Refusal('file_name');
    const modifiedAt = numberOf(context, 'modified_at', 2 ** 32 - 1);
    const size = numberOf(context, 'size', MOST_SIZE);
    if (size === undefined) throw new Refusal('file_size');
    return {
      id,
      path: pathOf(context),
      size,
      overwrite: context.query.get('overwrite') === '1',
      modifiedAt,
    };
  };

  route(app, {
    method: 'GET',
    url: `${FILES}uploads/:upload/`,
    access: Permission.USE,
    summary:
      'Where an upload is: how many bytes have arrived. It begins with this, too; its id is chosen by the client.',
    query: PIECE,
    answer: STATE,
    handler: (context): Promise<UploadState> =>
      answered(async () => {
        const upload = uploadOf(context);
        return pool.use(personOf(context), targetOf(context), ({ uploads }) =>
          uploads.state(upload),
        );
      }),
  });

  route(app, {
    method: 'PUT',
    url: `${FILES}uploads/:upload/`,
    access: Permission.USE,
    summary:
      'The bytes of an upload from `offset` on. With the last one the file takes its place; until then only a part lies next to it.',
    query: PIECE,
    bodyShape: fileOf('application/octet-stream', 'bytes'),
    takesBytes: true,
    answer: STATE,
    async handler(context): Promise<UploadState> {
      const body = bodyOf(context);
      try {
        return await answered(async () => {
          const upload = uploadOf(context);
          const offset = numberOf(context, 'offset', MOST_SIZE) ?? 0;
          return pool.use(personOf(context), targetOf(context), ({ uploads }) =>
            uploads.take(upload, offset, bounded(body)),
          );
        });
      } finally {
        // An answer before the end of the body would break the connection under a browser that still sends.
        for await (const _rest of bounded(body));
      }
    },
  });

  route(app, {
    method: 'DELETE',
    url: `${FILES}uploads/:upload/`,
    access: Permission.USE,
    summary: 'Give an upload up; what has arrived is removed.',
    query: PIECE,
    status: 204,
    handler: (context) =>
      answered(async () => {
        const upload = uploadOf(context);
        await pool.use(personOf(context), targetOf(context), ({ uploads }) =>
          uploads.cancel(upload),
        );
        return context.reply.code(204).send();
      }),
  });
}

function bodyOf({ request: { body } }: Context): AsyncIterable<Buffer> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body
    ? (body as AsyncIterable<Buffer>)
    : none();
}

async function* none(): AsyncGenerator<Buffer> {}

/** Bytes up to the size of one piece. The stream stays open at the end, for what is left of it. */
async function* bounded(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let size = 0;
  const iterable =
    'iterator' in body
      ? (
          body as { iterator(options: { destroyOnReturn: boolean }): AsyncIterable<Buffer> }
        ).iterator({ destroyOnReturn: false })
      : body;
  for await (const chunk of iterable) {
    size += chunk.length;
    if (size > MAX_UPLOAD_PIECE) throw new TooLarge('body_too_large', { max: MAX_UPLOAD_PIECE });
    yield chunk;
  }
}

function numberOf({ query }: Context, name: string, most: number): number | undefined {
  const given = query.get(name);
  if (given === null || given === '') return undefined;
  if (!/^\d{1,16}$/.test(given) || Number(given) > most) throw new Refusal('file_size');
  return Number(given);
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
    (typeof mode !== 'number' || !Number.isInteger(mode) || mode < 0 || mode > MOST_MODE)
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
): Promise<void> {
  const { path = '/', to = '/' } = items[index] ?? {};
  const work: Readonly<Record<FileAction, () => Promise<void>>> = {
    rename: () => files.rename(path, to, { overwrite }),
    move: () => files.rename(path, to, { overwrite }),
    async copy() {
      if (overwrite && path !== to && (await exists(files, to)))
        await files.remove(to, { recursive: true });
      await files.copy(path, to);
    },
    delete: () => files.remove(path, { recursive: true }),
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
