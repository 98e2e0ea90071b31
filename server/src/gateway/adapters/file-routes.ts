import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import {
  type FileDetail,
  type FileRow,
  type FilesConnectLine,
  type FolderLine,
  MAX_CHOSEN_FILES,
  Permission,
  text,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { HttpError } from '../../http/error-bodies.ts';
import { readBody, route } from '../../http/route.ts';
import { fileOf, samples } from '../../http/shapes.ts';
import { MAX_ARCHIVES } from '../limits.ts';
import { archiveOf } from '../listeners/files/archive.ts';
import { DOWNLOAD_POLICY, dispositionOf, rangeOf, viewOf } from '../listeners/files/media.ts';
import { AccountNeeded, type FilePool } from '../listeners/files/pool.ts';
import { versionOf } from '../listeners/files/text.ts';
import { zipOf } from '../listeners/files/zip.ts';
import type { GatewayLog } from '../ports.ts';
import { problemOf, Refusal, wordProblem } from '../refusal.ts';
import type { FileEntry } from '../sessions/files/remote-files.ts';
import {
  actionsOf,
  answered,
  pathOf,
  personOf,
  problemLine,
  readAddressPath,
  sendLines,
  targetOf,
} from './file-answers.ts';

/** Below it everything of the web file manager is found: an asset and an account of it. */
export const FILES = '/api/v1/files/:asset/:account/';
export const PATH = {
  path: text({
    label: { en: 'Path', zh: '路径' },
    max: 4096,
    required: true,
    example: '/reports',
  }),
};
const CREDENTIALS = {
  username: text({
    label: { en: 'Username', zh: '用户名' },
    max: 128,
    required: false,
    defaultValue: '',
  }),
  password: text({
    label: { en: 'Password', zh: '密码' },
    max: 4096,
    required: false,
    defaultValue: '',
  }),
};
const CONNECTED = fileOf(
  'application/x-ndjson',
  '{"stage":"checking"}\n{"open":{"session":"…","asset":"web-prod-01","account":"deploy","actions":["download_file"],"root":"home"}}\n',
);
const FOLDER = fileOf(
  'application/x-ndjson',
  '{"entries":[["notes.txt","file",120,420,"deploy","deploy",1767225600]]}\n{"end":{"count":1}}\n',
);
const CONTENT = fileOf('application/octet-stream', 'the bytes of the file');
const ARCHIVE = fileOf('application/zip', 'PK');
const DETAIL = samples<FileDetail>(
  {
    name: 'notes.txt',
    kind: 'file',
    size: 120,
    mode: 420,
    owner: 'deploy',
    group: 'deploy',
    modified_at: 1_767_225_600,
    link_target: null,
    target_kind: null,
  },
  {
    name: 'now',
    kind: 'link',
    size: 9,
    mode: 511,
    owner: 'deploy',
    group: 'deploy',
    modified_at: 1_767_225_600,
    link_target: 'releases',
    target_kind: 'folder',
  },
);

export interface FileRouteOptions {
  readonly pool: FilePool;
  readonly log: GatewayLog;
}

const ownerOf = ({ owner, ownerId }: FileEntry) => owner ?? String(ownerId);
const groupOf = ({ group, groupId }: FileEntry) => group ?? String(groupId);

/** Looking at files of an asset and downloading them; each request is one of the connection that `connect` opened, or opens it itself. */
export function mountFileRoutes(app: FastifyInstance, { pool, log }: FileRouteOptions): void {
  const archives = new Map<string, number>();

  route(app, {
    method: 'POST',
    url: `${FILES}connect/`,
    access: Permission.USE,
    summary:
      'Connect to the files of an asset as one account. Lines say how far it is; the last one is `open`, `need_credentials` or `problem`.',
    body: CREDENTIALS,
    answer: CONNECTED,
    handler(context) {
      const target = targetOf(context);
      const { username, password } = readBody(context);
      const given =
        username || password
          ? { username: String(username), password: String(password) }
          : undefined;
      return sendLines(context, connecting(context, target, given));
    },
  });

  async function* connecting(
    context: Context,
    target: ReturnType<typeof targetOf>,
    given: { readonly username: string; readonly password: string } | undefined,
  ): AsyncGenerator<FilesConnectLine> {
    const lines: FilesConnectLine[] = [];
    let wake: () => void = () => undefined;
    const opened = pool.connect(personOf(context), target, {
      typed: given,
      onStage: (stage, host) => {
        lines.push({ stage, ...(host !== undefined && { host }) });
        wake();
      },
    });
    let isSettled = false;
    const settled = opened
      .then(
        () => undefined,
        () => undefined,
      )
      .finally(() => {
        isSettled = true;
        wake();
      });
    while (!isSettled || lines.length > 0) {
      yield* lines.splice(0);
      if (isSettled) break;
      await new Promise<void>((done) => {
        wake = done;
        if (isSettled || lines.length > 0) done();
      });
    }
    await settled;
    yield* lines.splice(0);
    try {
      const { session } = await opened;
      const { id, account, grant } = session.row;
      yield {
        open: {
          session: id,
          asset: grant.asset.hostname,
          account,
          actions: actionsOf(session),
          root: grant.systemUser.sftpRoot,
        },
      };
    } catch (error) {
      if (error instanceof AccountNeeded)
        yield { need_credentials: { username: error.username, reason: error.reason } };
      else yield problemLine(error, context.language, log);
    }
  }

  route(app, {
    method: 'DELETE',
    url: `${FILES}connect/`,
    access: Permission.USE,
    summary: 'Close the connection to the files of an asset.',
    status: 204,
    handler(context) {
      pool.close(personOf(context), targetOf(context));
      return context.reply.code(204).send();
    },
  });

  route(app, {
    method: 'GET',
    url: `${FILES}entries/`,
    access: Permission.USE,
    summary:
      'The entries of a folder, in lines as they are read; the last line is `end` or `problem`.',
    query: PATH,
    answer: FOLDER,
    async handler(context) {
      return answered(async () => {
        const path = pathOf(context);
        const hold = await pool.hold(personOf(context), targetOf(context));
        const batches = hold.files.session.files.list(path)[Symbol.asyncIterator]();
        // What is wrong with the folder is an answer of its own, before the first line.
        const first = await batches.next().catch((error: unknown) => {
          hold.release();
          throw error;
        });
        return sendLines(context, listing(context, first, batches, hold.release));
      });
    },
  });

  async function* listing(
    { language }: Context,
    first: IteratorResult<readonly FileEntry[]>,
    batches: AsyncIterator<readonly FileEntry[]>,
    release: () => void,
  ): AsyncGenerator<FolderLine> {
    let count = 0;
    try {
      for (let next = first; !next.done; next = await batches.next()) {
        count += next.value.length;
        yield {
          entries: next.value.map(
            (entry): FileRow => [
              entry.name,
              entry.kind,
              entry.size,
              entry.mode,
              ownerOf(entry),
              groupOf(entry),
              entry.modifiedAt,
            ],
          ),
        };
      }
      yield { end: { count } };
    } catch (error) {
      yield problemLine(error, language, log);
    } finally {
      await batches.return?.();
      release();
    }
  }

  route(app, {
    method: 'GET',
    url: `${FILES}entry/`,
    access: Permission.USE,
    summary: 'One file or folder, and what it leads to if it is a link.',
    query: PATH,
    answer: DETAIL,
    handler: (context): Promise<FileDetail> =>
      answered(() =>
        pool.use(personOf(context), targetOf(context), async ({ session }) => {
          const entry = await session.files.stat(pathOf(context));
          return {
            name: entry.name,
            kind: entry.kind,
            size: entry.size,
            mode: entry.mode,
            owner: ownerOf(entry),
            group: groupOf(entry),
            modified_at: entry.modifiedAt,
            link_target: entry.linkTarget ?? null,
            target_kind: entry.targetKind ?? null,
          };
        }),
      ),
  });

  route(app, {
    method: 'GET',
    url: `${FILES}content/`,
    access: Permission.USE,
    summary:
      'The bytes of a file, also a range of them. `view=1` serves images and PDF to be looked at, without any rights in our origin.',
    query: { ...PATH, view: text({ label: { en: 'View', zh: '查看' }, max: 1, required: false }) },
    answer: CONTENT,
    handler: (context) =>
      answered(async () => {
        const { reply, request, query } = context;
        const path = pathOf(context);
        const hold = await pool.hold(personOf(context), targetOf(context));
        try {
          const { files } = hold.files.session;
          const entry = await files.statTarget(path);
          if (entry.kind !== 'file') throw new Refusal('file_kind');
          const view = query.get('view') === '1' ? viewOf(entry.name) : undefined;
          const tag = `"${versionOf(entry)}"`;
          const isSame =
            request.headers['if-range'] === undefined || request.headers['if-range'] === tag;
          const range = rangeOf(isSame ? request.headers.range : undefined, entry.size);
          reply
            .header('content-type', view?.type ?? 'application/octet-stream')
            .header('content-security-policy', view?.policy ?? DOWNLOAD_POLICY)
            .header('cross-origin-resource-policy', 'same-origin')
            .header(
              'content-disposition',
              dispositionOf(view ? 'inline' : 'attachment', entry.name),
            )
            .header('accept-ranges', 'bytes')
            .header('etag', tag);
          if (!range) {
            reply
              .header('content-range', `bytes */${entry.size}`)
              .header('content-type', 'application/json')
              .removeHeader('content-disposition');
            throw new HttpError(416, 'file_range');
          }
          const stream = await files.read(path, { start: range.start, end: range.end });
          stream.on('error', () => undefined);
          reply.raw.once('close', () => stream.destroy());
          void finished(stream)
            .catch(() => undefined)
            .finally(hold.release);
          if (range.isPart)
            reply
              .code(206)
              .header('content-range', `bytes ${range.start}-${range.end - 1}/${entry.size}`);
          // A file of /proc says that it has no bytes.
          if (entry.size > 0) reply.header('content-length', range.end - range.start);
          return stream;
        } catch (error) {
          hold.release();
          throw error;
        }
      }),
  });

  route(app, {
    method: 'GET',
    url: `${FILES}zip/`,
    access: Permission.USE,
    summary:
      'Files and folders as one archive that is made while it is sent. `path` may be there several times.',
    query: {
      ...PATH,
      name: text({ label: { en: 'Name', zh: '名称' }, max: 255, required: false }),
    },
    answer: ARCHIVE,
    handler: (context) =>
      answered(async () => {
        const { reply, query, language } = context;
        const paths = query.getAll('path').map(readAddressPath);
        if (paths.length === 0 || paths.length > MAX_CHOSEN_FILES)
          throw new Refusal('file_chosen', { max: MAX_CHOSEN_FILES });
        const person = personOf(context);
        const making = archives.get(person.loginId) ?? 0;
        if (making >= MAX_ARCHIVES) throw new Refusal('file_limit');
        const hold = await pool.hold(person, targetOf(context));
        try {
          if (!actionsOf(hold.files.session).includes('download_file'))
            throw new Refusal('transfer_denied', {
              action: { en: 'Download file', zh: '下载文件' },
            });
          // One that is not there at all is an answer; what comes later is named in the archive.
          for (const path of paths.slice(0, 1)) await hold.files.session.files.statTarget(path);
        } catch (error) {
          hold.release();
          throw error;
        }
        archives.set(person.loginId, (archives.get(person.loginId) ?? 0) + 1);
        const say = (error: unknown) => wordProblem(problemOf(error), language);
        const stream = Readable.from(zipOf(archiveOf(hold.files.session.files, paths, say)), {
          objectMode: false,
        });
        stream.on('error', () => undefined);
        reply.raw.once('close', () => stream.destroy());
        void finished(stream)
          .catch(() => undefined)
          .finally(() => {
            hold.release();
            const left = (archives.get(person.loginId) ?? 1) - 1;
            if (left > 0) archives.set(person.loginId, left);
            else archives.delete(person.loginId);
          });
        reply
          .header('content-type', 'application/zip')
          .header('content-security-policy', DOWNLOAD_POLICY)
          .header(
            'content-disposition',
            dispositionOf('attachment', `${query.get('name') || 'files'}.zip`),
          );
        return stream;
      }),
  });
}
