import { MAX_UPLOAD_PIECE, Permission, text, type UploadState } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../../http/context.ts';
import { parameter, route } from '../../../http/route.ts';
import { fileOf, samples } from '../../../http/shapes.ts';
import { TooLarge } from '../../../platform/errors.ts';
import type { FilePool } from '../../listeners/files/pool.ts';
import type { UploadRequest } from '../../listeners/files/uploads.ts';
import { Refusal } from '../../refusal.ts';
import { answered, FILES, PATH, pathOf, personOf, targetOf } from './file-answers.ts';

const UPLOAD_ID = /^[A-Za-z0-9-]{8,64}$/;
/** Bytes; far above the limits of file systems. */
const MAX_SIZE = 2 ** 50;
const STATE = samples<UploadState>(
  { offset: 4096, complete: false },
  { offset: 4096, complete: true, attributes_refused: true },
  {
    offset: 4096,
    complete: true,
    sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  },
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

/** Routes that upload a file in pieces; an interrupted upload resumes at its offset. */
export function mountFileUploadRoutes(app: FastifyInstance, pool: FilePool): void {
  const uploadOf = (context: Context): UploadRequest => {
    const id = parameter(context, 'upload');
    if (!UPLOAD_ID.test(id)) throw new Refusal('file_name');
    const modifiedAt = numberOf(context, 'modified_at', 2 ** 32 - 1);
    const size = numberOf(context, 'size', MAX_SIZE);
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
    summary: 'Start an upload, or read the number of its stored bytes. The client chooses its id.',
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
      'Send the bytes of an upload from `offset` on. The last one puts the file in place; until then a part is stored next to it.',
    query: PIECE,
    bodyShape: fileOf('application/octet-stream', 'bytes'),
    takesBytes: true,
    answer: STATE,
    async handler(context): Promise<UploadState> {
      const body = bodyOf(context);
      try {
        return await answered(async () => {
          const upload = uploadOf(context);
          const offset = numberOf(context, 'offset', MAX_SIZE) ?? 0;
          return pool.use(personOf(context), targetOf(context), ({ uploads }) =>
            uploads.take(upload, offset, bounded(body)),
          );
        });
      } finally {
        // Read the rest: a response before the end of the body resets the connection of a browser
        // that still sends.
        for await (const _rest of bounded(body));
      }
    },
  });

  route(app, {
    method: 'DELETE',
    url: `${FILES}uploads/:upload/`,
    access: Permission.USE,
    summary: 'Cancel an upload and remove its bytes.',
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

/** Yields chunks up to the size of one piece. The stream stays open, for the caller to drain. */
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
  const value = query.get(name);
  if (value === null || value === '') return undefined;
  if (!/^\d{1,16}$/.test(value) || Number(value) > most) throw new Refusal('file_size');
  return Number(value);
}
