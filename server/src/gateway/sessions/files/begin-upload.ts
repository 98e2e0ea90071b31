import { randomBytes } from 'node:crypto';
import { MAX_NAME_BYTES } from '../../limits.ts';
import type { KeptUpload, ReplacedFile } from '../../ports/kept-uploads.ts';
import { Refusal } from '../../refusal.ts';
import { NEW_FILE } from './apply-attributes.ts';
import { isFile, isFolder, type Place } from './boundary.ts';
import { type FileContext, fileRefusal, reasonOf } from './file-context.ts';
import { removePart } from './kept-parts.ts';
import { sendOpening } from './opening.ts';
import { PartFile } from './part-file.ts';
import { PartRecord } from './part-record.ts';
import { checked, join, readPath, shownName } from './paths.ts';
import type { UploadOptions } from './remote-files.ts';
import { Upload } from './upload.ts';

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
    return await context.during(() => begin(context, path, { ...options, mayContinue: true }));
  } catch (error) {
    await context.note({ operation: 'upload', path: shownName(path), reason: reasonOf(error) });
    throw fileRefusal(error);
  }
}

interface BeginOptions extends UploadOptions {
  /** The partial file is kept after an interruption. */
  readonly mayContinue?: boolean;
}

/** The partial file of a new upload, or of an interrupted one. */
interface FoundPart {
  readonly part: Place;
  /** Bytes after which the upload continues. */
  readonly start: number;
  /** The record of an interrupted upload, which this session has taken over. */
  readonly kept?: KeptUpload | undefined;
}

/** Same as `beginUpload`, without right and log entry; used by copies. */
export async function begin(
  context: FileContext,
  path: string,
  options: BeginOptions,
): Promise<Upload> {
  const { files, boundary, charset, kept } = context;
  const uploadId = options.uploadId ?? randomBytes(8).toString('hex');
  if (!UPLOAD_ID.test(uploadId)) throw new Refusal('file_name');
  const place = await boundary.find(readPath(path, charset), 'follow');
  const name = place.names.at(-1);
  if (!name || (place.attributes && isFolder(place.attributes))) throw new Refusal('file_kind');
  if (place.attributes && !isFile(place.attributes)) throw new Refusal('file_kind');
  if (place.attributes && !options.overwrite) throw new Refusal('file_exists');
  const source = await findPart(context, place, options, partName(name, uploadId));
  const { part, start } = source;
  const record = new PartRecord(
    kept,
    {
      part: part.real,
      place: place.real,
      replaced: source.kept ? source.kept.replaced : replacedBy(place),
      start,
      mayContinue: options.mayContinue === true,
    },
    source.kept !== undefined,
  );
  try {
    const opening = part.attributes
      ? sendOpening(files, part.real, 'change')
      : sendOpening(
          files,
          part.real,
          'create',
          place.attributes ? PRIVATE : (options.mode ?? NEW_FILE),
        );
    const handle = await opening.handle;
    const file = new PartFile(context, part, handle, record);
    const upload = new Upload({ context, path, options, uploadId, place, part: file, start });
    try {
      await boundary.recheckOpened(part, opening.resolved);
      context.keep(upload);
      if (part.attributes && part.attributes.size !== start)
        await files.setAttributesOfOpen(handle, { size: start });
      if (options.keepsContent && place.attributes && !part.attributes) await upload.takeContent();
      if (options.mayContinue) await removeOthers(context, place, part);
      return upload;
    } catch (error) {
      context.release(upload);
      await files.closeHandle(handle).catch(() => undefined);
      if (!part.attributes) await files.remove(part.real).catch(() => undefined);
      throw error;
    }
  } catch (error) {
    await (source.kept ? record.keep() : record.forget());
    throw error;
  }
}

function replacedBy({ attributes }: Place): ReplacedFile | undefined {
  return attributes && { size: attributes.size ?? 0, modifiedAt: attributes.modifiedAt ?? 0 };
}

/**
 * Finds the partial file next to the place of an upload: that of an interrupted upload of the user,
 * or a new one with a random name.
 */
async function findPart(
  { boundary, kept }: FileContext,
  place: Place,
  { uploadId, keepsContent }: UploadOptions,
  name: Buffer,
): Promise<FoundPart> {
  const names = checked([...place.names.slice(0, -1), name]);
  if (uploadId === undefined) {
    const match = keepsContent ? await kept.at(place, boundary) : undefined;
    if (match && (await kept.claim(match.kept)))
      return { part: match.part, start: match.size, kept: match.kept };
    return { part: { names, real: join(boundary.root, names), attributes: undefined }, start: 0 };
  }
  await kept.cleaned;
  const part = await boundary.find(names, 'keep');
  if (!part.attributes) return { part, start: 0 };
  if (!isFile(part.attributes)) throw new Refusal('file_kind');
  const size = part.attributes.size ?? 0;
  const known = (await kept.free()).find((each) => each.part.equals(part.real));
  return known && (await kept.claim(known))
    ? { part, start: Math.min(known.bytes, size), kept: known }
    : { part, start: size };
}

/** Removes the parts of earlier uploads of the user to the same place, which a new one replaces. */
async function removeOthers({ files, boundary, kept }: FileContext, place: Place, own: Place) {
  for (const other of await kept.free()) {
    if (!other.place.equals(place.real) || other.part.equals(own.real)) continue;
    if (!(await kept.claim(other))) continue;
    await removePart(files, boundary, other.part).then(
      () => kept.forget(other.part),
      () => kept.removeLater(other),
    );
  }
}

/** Name of the partial file, cut to the maximum length of names. */
function partName(name: Buffer, uploadId: string): Buffer {
  const end = Buffer.from(`.sallyport-${uploadId}`);
  return Buffer.concat([Buffer.from('.'), name.subarray(0, MAX_NAME_BYTES - end.length - 1), end]);
}
