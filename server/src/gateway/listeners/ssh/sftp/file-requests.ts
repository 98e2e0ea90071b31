import {
  type Attributes,
  dataPacketOf,
  lengthOf,
  OpenFlag,
  Packet,
  type PacketReader,
  packetOf,
  Status,
} from '@sallyport/ssh';
import { Refusal } from '../../../refusal.ts';
import {
  type Answer,
  attributesOf,
  ok,
  PERMISSIONS,
  pathOf,
  type RequestHandler,
  statusPacket,
} from './answers.ts';
import { entryOf, readerOf, type Writing } from './handles.ts';
import type { Operations } from './operations.ts';

/** Maximum bytes per read. */
export const MAX_READ = 255 * 1024;
/** Mode of a new file if the client sends none. */
const NEW_FILE = 0o644;

async function openFile(operations: Operations, id: number, body: PacketReader): Promise<Buffer> {
  const [path, flags, attributes] = [pathOf(body), body.uint32(), body.attributes()];
  operations.handles.checkRoom();
  if ((flags & (OpenFlag.WRITE | OpenFlag.APPEND | OpenFlag.CREATE | OpenFlag.TRUNCATE)) === 0) {
    const { files, path: remote } = await operations.remote(path);
    const written = operations.handles.writing(files, remote);
    const file = written ? readerOf(written) : await files.openFile(remote);
    return packetOf(
      Packet.HANDLE,
      id,
      operations.handles.add({ kind: 'reading', file, files, path: remote }),
    );
  }
  return operations.change(path, () => openForWriting(operations, id, { path, flags, attributes }));
}

interface OpenForWriting {
  readonly path: string;
  readonly flags: number;
  readonly attributes: Attributes;
}

async function openForWriting(
  operations: Operations,
  id: number,
  { path, flags, attributes }: OpenForWriting,
): Promise<Buffer> {
  const { files, path: remote } = await operations.remoteNow(path);
  const keepsContent = (flags & (OpenFlag.TRUNCATE | OpenFlag.EXCLUSIVE)) === 0;
  if ((flags & OpenFlag.CREATE) === 0 && !(keepsContent && (await files.interrupted(remote))))
    await files.statTarget(remote);
  const file = await files.upload(remote, {
    overwrite: (flags & OpenFlag.EXCLUSIVE) === 0,
    keepsContent,
    ...(attributes.mode !== undefined && { mode: attributes.mode & PERMISSIONS }),
  });
  const mode = (attributes.mode ?? NEW_FILE) & PERMISSIONS;
  const appends = (flags & OpenFlag.APPEND) !== 0;
  return packetOf(
    Packet.HANDLE,
    id,
    operations.handles.add({
      kind: 'writing',
      file,
      files,
      path: remote,
      clientPath: path,
      mode,
      appends,
    }),
  );
}

async function closeHandle(
  operations: Operations,
  id: number,
  body: PacketReader,
): Promise<Buffer> {
  const handle = operations.handles.remove(body.string());
  if (handle.kind === 'folder') await handle.reader.close();
  else if (handle.kind === 'reading') await handle.file.close();
  else await operations.change(handle.clientPath, () => handle.file.complete());
  return ok(id);
}

async function read(operations: Operations, id: number, body: PacketReader): Promise<Answer> {
  const handle = operations.handles.get(body.string());
  const [offset, length] = [body.uint64(), Math.min(body.uint32(), MAX_READ)];
  if (handle.kind === 'folder') throw new Refusal('file_kind');
  const bytes =
    handle.kind === 'reading'
      ? await handle.file.readPieces(offset, length)
      : [await handle.file.read(offset, length)];
  return length > 0 && lengthOf(bytes) === 0
    ? statusPacket(id, Status.EOF, 'End of file')
    : dataPacketOf(id, bytes);
}

async function write(operations: Operations, id: number, body: PacketReader): Promise<Buffer> {
  const handle = operations.handles.get(body.string());
  const [offset, bytes] = [body.uint64(), body.string()];
  if (handle.kind !== 'writing') throw new Refusal('file_kind');
  await handle.file.writeAhead(handle.appends ? handle.file.reserve(bytes.length) : offset, bytes);
  return ok(id);
}

async function statHandle(operations: Operations, id: number, body: PacketReader): Promise<Buffer> {
  const handle = operations.handles.get(body.string());
  if (handle.kind === 'folder') throw new Refusal('file_kind');
  const attributes =
    handle.kind === 'reading' ? attributesOf(handle.file.entry) : attributesOf(entryOf(handle));
  return packetOf(Packet.ATTRS, id, { attributes });
}

/**
 * Returns the attributes to set. Rejects a request that only sets owners, which the server
 * controls.
 */
function settable({ mode, modifiedAt, size }: Attributes) {
  if (mode === undefined && modifiedAt === undefined && size === undefined)
    throw new Refusal('file_denied');
  return {
    ...(mode !== undefined && { mode: mode & PERMISSIONS }),
    ...(modifiedAt !== undefined && { modifiedAt }),
  };
}

async function setHandle(operations: Operations, id: number, body: PacketReader): Promise<Buffer> {
  const handle = operations.handles.get(body.string());
  const attributes = body.attributes();
  if (handle.kind === 'folder') throw new Refusal('file_kind');
  const written =
    handle.kind === 'writing' ? handle : operations.handles.writing(handle.files, handle.path);
  if (written) await setWriting(written, attributes);
  else if (handle.kind === 'reading')
    await handle.files.setAttributes(handle.path, settable(attributes));
  return ok(id);
}

/** Sets attributes of a file that is being written. */
async function setWriting(writing: Writing, attributes: Attributes): Promise<void> {
  const changes = settable(attributes);
  await writing.file.setAttributes(changes);
  if (changes.mode !== undefined) writing.mode = changes.mode;
  if (attributes.size !== undefined) await writing.file.truncate(attributes.size);
  // The client shows the refusal and the upload continues, as without a gateway.
  if (Object.keys(changes).length > 0 && !(await writing.file.takesAttributes()))
    throw new Refusal('file_attributes');
}

async function setPath(operations: Operations, id: number, body: PacketReader): Promise<Buffer> {
  const [path, attributes] = [pathOf(body), body.attributes()];
  const changes = settable(attributes);
  const { files, path: remote } = await operations.remote(path);
  const written = operations.handles.writing(files, remote);
  if (written) {
    await setWriting(written, attributes);
    return ok(id);
  }
  if (attributes.size !== undefined) {
    await files.statTarget(remote);
    const file = await files.upload(remote, { overwrite: true, keepsContent: true });
    try {
      await file.truncate(attributes.size);
    } catch (error) {
      await file.abort(error instanceof Error ? error : undefined);
      throw error;
    }
    await file.complete();
  }
  if (Object.keys(changes).length > 0) await files.setAttributes(remote, changes);
  return ok(id);
}

/** Requests that open, read and write files, and set attributes. */
export const FILE_REQUESTS: readonly (readonly [number, RequestHandler])[] = [
  [Packet.OPEN, openFile],
  [Packet.CLOSE, closeHandle],
  [Packet.READ, read],
  [Packet.WRITE, write],
  [Packet.FSTAT, statHandle],
  [Packet.SETSTAT, setPath],
  [Packet.FSETSTAT, setHandle],
];
