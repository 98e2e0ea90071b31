import { randomBytes } from 'node:crypto';
import { MAX_NAME_BYTES } from '../../limits.ts';
import { Refusal } from '../../refusal.ts';
import { isFile, isFolder, type Place } from './boundary.ts';
import { type FileContext, fileRefusal, reasonOf } from './file-context.ts';
import { sendOpening } from './opening.ts';
import { checked, join, readPath, shownName } from './paths.ts';
import type { UploadOptions } from './remote-files.ts';
import { NEW_FILE, Upload } from './upload.ts';

const UPLOAD_ID = /^[A-Za-z0-9-]{8,36}$/;
/** Mode of a partial file that will replace another: the content may be secret. */
const PRIVATE = 0o600;

/** Starts or resumes an upload. Logs a refusal too. @throws Refusal */
export async function beginUpload(
  context: FileContext,
  path: string,
  options: UploadOptions,
): Promise<Upload> {
  context.active();
  try {
    context.require('upload_file');
    return await context.during(() => begin(context, path, options));
  } catch (error) {
    await context.note({ operation: 'upload', path: shownName(path), reason: reasonOf(error) });
    throw fileRefusal(error);
  }
}

/** Same as `beginUpload`, without right and log entry; used by copies. */
export async function begin(
  context: FileContext,
  path: string,
  options: UploadOptions,
): Promise<Upload> {
  const { files, boundary, charset } = context;
  const uploadId = options.uploadId ?? randomBytes(8).toString('hex');
  if (!UPLOAD_ID.test(uploadId)) throw new Refusal('file_name');
  const place = await boundary.find(readPath(path, charset), 'follow');
  const name = place.names.at(-1);
  if (!name || (place.attributes && isFolder(place.attributes))) throw new Refusal('file_kind');
  if (place.attributes && !isFile(place.attributes)) throw new Refusal('file_kind');
  if (place.attributes && !options.overwrite) throw new Refusal('file_exists');
  const part = await findPart(context, place, options.uploadId, partName(name, uploadId));
  const opening = part.attributes
    ? sendOpening(files, part.real, 'change')
    : sendOpening(
        files,
        part.real,
        'create',
        place.attributes ? PRIVATE : (options.mode ?? NEW_FILE),
      );
  const handle = await opening.handle;
  const upload = new Upload({ context, path, options, uploadId, place, part, handle });
  try {
    await boundary.recheckOpened(part, opening.resolved);
    context.keep(upload);
    if (options.keepsContent && place.attributes && !part.attributes) await upload.takeContent();
    return upload;
  } catch (error) {
    context.release(upload);
    await files.closeHandle(handle).catch(() => undefined);
    if (!part.attributes) await files.remove(part.real).catch(() => undefined);
    throw error;
  }
}

/** Finds the partial file next to the place of an upload. A new upload has a random name. */
async function findPart(
  { boundary }: FileContext,
  place: Place,
  uploadId: string | undefined,
  name: Buffer,
): Promise<Place> {
  const names = checked([...place.names.slice(0, -1), name]);
  if (uploadId === undefined)
    return { names, real: join(boundary.root, names), attributes: undefined };
  const part = await boundary.find(names, 'keep');
  if (part.attributes && !isFile(part.attributes)) throw new Refusal('file_kind');
  return part;
}

/** Name of the partial file, cut to the maximum length of names. */
function partName(name: Buffer, uploadId: string): Buffer {
  const end = Buffer.from(`.sallyport-${uploadId}`);
  return Buffer.concat([Buffer.from('.'), name.subarray(0, MAX_NAME_BYTES - end.length - 1), end]);
}
