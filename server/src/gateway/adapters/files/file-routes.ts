import {
  APPROVAL_REASON_MAX,
  type FileDetail,
  type FileRow,
  type FilesConnectLine,
  type FolderLine,
  type Language,
  Permission,
  text,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../../http/context.ts';
import { readBody, route } from '../../../http/route.ts';
import { fileOf, samples } from '../../../http/shapes.ts';
import {
  AccountNeeded,
  type Connecting,
  type FilePool,
  ReasonNeeded,
} from '../../listeners/files/pool.ts';
import type { GatewayLog } from '../../ports.ts';
import type { FileEntry } from '../../sessions/files/remote-files.ts';
import {
  actionsOf,
  answered,
  FILES,
  PATH,
  pathOf,
  personOf,
  problemLine,
  sendLines,
  targetOf,
} from './file-answers.ts';
import { mountFileDownloadRoutes } from './file-download-routes.ts';

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
  reason: text({
    label: { en: 'Reason for reviewers', zh: '审批原因' },
    max: APPROVAL_REASON_MAX,
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

/** Connects, and yields a line for each stage and one for the result. */
async function* connecting(
  { pool, log }: FileRouteOptions,
  context: Context,
  target: ReturnType<typeof targetOf>,
  { typed, reason }: Pick<Connecting, 'typed' | 'reason'>,
): AsyncGenerator<FilesConnectLine> {
  const lines: FilesConnectLine[] = [];
  let wake: () => void = () => undefined;
  const left = new AbortController();
  context.reply.raw.once('close', () => left.abort());
  const opened = pool.connect(personOf(context), target, {
    typed,
    reason,
    signal: left.signal,
    onStage: (stage, host, progress) => {
      lines.push({ stage, ...(host !== undefined && { host }), ...(progress && { progress }) });
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
    else if (error instanceof ReasonNeeded) yield { need_reason: true };
    else yield problemLine(error, context.language, log);
  }
}

/** Yields the entries of a folder, then their number or a problem. */
async function* listing(
  words: { readonly language: Language; readonly log: GatewayLog },
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
    yield problemLine(error, words.language, words.log);
  } finally {
    await batches.return?.();
    release();
  }
}

/** Routes for reading files of an asset. They use the connection of `connect`, or open one. */
export function mountFileRoutes(app: FastifyInstance, { pool, log }: FileRouteOptions): void {
  route(app, {
    method: 'POST',
    url: `${FILES}connect/`,
    access: Permission.USE,
    summary:
      'Connect to the files of an asset as one account. Lines report the progress; the last one is `open`, `need_credentials`, `need_reason` or `problem`.',
    body: CREDENTIALS,
    answer: CONNECTED,
    handler(context) {
      const target = targetOf(context);
      const { username = '', password = '', reason = '' } = readBody(context, CREDENTIALS);
      const typed = username || password ? { username, password } : undefined;
      return sendLines(context, connecting({ pool, log }, context, target, { typed, reason }));
    },
  });

  route(app, {
    method: 'DELETE',
    url: `${FILES}connect/`,
    access: Permission.USE,
    summary: 'Close the connection to the files of an asset.',
    status: 204,
    async handler(context) {
      await answered(() => pool.close(personOf(context), targetOf(context)));
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
        const words = { language: context.language, log };
        const path = pathOf(context);
        const hold = await pool.hold(personOf(context), targetOf(context));
        const batches = hold.files.session.files.list(path)[Symbol.asyncIterator]();
        // An unreadable folder is an error response, before the first line is sent.
        const first = await batches.next().catch((error: unknown) => {
          hold.release();
          throw error;
        });
        return sendLines(context, listing(words, first, batches, hold.release));
      });
    },
  });

  route(app, {
    method: 'GET',
    url: `${FILES}entry/`,
    access: Permission.USE,
    summary: 'A file or folder, with the target of a link.',
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

  mountFileDownloadRoutes(app, pool);
}
