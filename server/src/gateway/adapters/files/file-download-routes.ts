import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { MAX_CHOSEN_FILES, Permission, text } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../../http/context.ts';
import { HttpError } from '../../../http/error-bodies.ts';
import { route } from '../../../http/route.ts';
import { fileOf } from '../../../http/shapes.ts';
import { MAX_ARCHIVES } from '../../limits.ts';
import { archiveOf } from '../../listeners/files/archive.ts';
import { DOWNLOAD_POLICY, dispositionOf, rangeOf, viewOf } from '../../listeners/files/media.ts';
import type { FilePool } from '../../listeners/files/pool.ts';
import { versionOf } from '../../listeners/files/text.ts';
import { zipOf } from '../../listeners/files/zip.ts';
import { problemOf, Refusal, wordProblem } from '../../refusal.ts';
import {
  actionsOf,
  answered,
  FILES,
  PATH,
  pathOf,
  personOf,
  readAddressPath,
  targetOf,
} from './file-answers.ts';

const CONTENT = fileOf('application/octet-stream', 'the bytes of the file');
const ARCHIVE = fileOf('application/zip', 'PK');

/** Sends a file or a range of it. */
async function sendContent(pool: FilePool, context: Context) {
  const { reply, request, query } = context;
  const path = pathOf(context);
  const hold = await pool.hold(personOf(context), targetOf(context));
  try {
    const { files } = hold.files.session;
    const entry = await files.statTarget(path);
    if (entry.kind !== 'file') throw new Refusal('file_kind');
    const view = query.get('view') === '1' ? viewOf(entry.name) : undefined;
    const tag = `"${versionOf(entry)}"`;
    const isSame = request.headers['if-range'] === undefined || request.headers['if-range'] === tag;
    const range = rangeOf(isSame ? request.headers.range : undefined, entry.size);
    reply
      .header('content-type', view?.type ?? 'application/octet-stream')
      .header('content-security-policy', view?.policy ?? DOWNLOAD_POLICY)
      .header('cross-origin-resource-policy', 'same-origin')
      .header('content-disposition', dispositionOf(view ? 'inline' : 'attachment', entry.name))
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
    // Files in /proc report size 0 and still have content.
    if (entry.size > 0) reply.header('content-length', range.end - range.start);
    return stream;
  } catch (error) {
    hold.release();
    throw error;
  }
}

/**
 * Sends files and folders as one archive. `archives` counts those in the making by sign-in.
 */
async function sendArchive(pool: FilePool, archives: Map<string, number>, context: Context) {
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
    // A missing first path is an error response. Later problems are named in the archive.
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
}

/** Routes that send the content of files: one file, or an archive of several. */
export function mountFileDownloadRoutes(app: FastifyInstance, pool: FilePool): void {
  const archives = new Map<string, number>();

  route(app, {
    method: 'GET',
    url: `${FILES}content/`,
    access: Permission.USE,
    summary:
      'The bytes of a file or a range of them. `view=1` serves images and PDF for display, without rights in our origin.',
    query: { ...PATH, view: text({ label: { en: 'View', zh: '查看' }, max: 1, required: false }) },
    answer: CONTENT,
    handler: (context) => answered(() => sendContent(pool, context)),
  });

  route(app, {
    method: 'GET',
    url: `${FILES}zip/`,
    access: Permission.USE,
    summary: 'Files and folders as one streamed archive. `path` may occur several times.',
    query: {
      ...PATH,
      name: text({ label: { en: 'Name', zh: '名称' }, max: 255, required: false }),
    },
    answer: ARCHIVE,
    handler: (context) => answered(() => sendArchive(pool, archives, context)),
  });
}
