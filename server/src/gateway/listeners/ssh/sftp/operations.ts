import {
  type Attributes,
  dataPacketOf,
  OpenFlag,
  Packet,
  type PacketReader,
  type Part,
  packetOf,
  Status,
} from '../../../../platform/ssh/sftp/packets.ts';
import { lengthOf, type Pieces } from '../../../../platform/ssh/sftp/pieces.ts';
import { Refusal } from '../../../refusal.ts';
import { decodeName, encodeName } from '../../../sessions/files/names.ts';
import type { FileEntry, FileReader } from '../../../sessions/files/remote-files.ts';
import { attributesOf, longName, statusPacket } from './answers.ts';
import { FolderReader, Handles, oneBatch, type Writing } from './handles.ts';
import { normal, type Spot, type Tree } from './tree.ts';

/** Maximum bytes per read, and entries per folder answer. */
export const MAX_READ = 255 * 1024;
const MAX_ENTRIES = 200;
const MAX_HANDLES = 100;
const MAX_PATH = 4096;
const PERMISSIONS = 0o7777;
/** Mode of a new file if the client sends none. */
const NEW_FILE = 0o644;

/** One packet, whole or in pieces. */
type Answer = Buffer | Pieces;
type Operation = (operations: Operations, id: number, body: PacketReader) => Promise<Answer>;

/** The SFTP operations of one client. Each answers with one packet or throws. */
export class Operations {
  readonly handles = new Handles();
  private readonly tree: Tree;
  /** Pending changes by path. sshfs sends further requests without waiting for the answers. */
  private readonly changing = new Map<string, Promise<unknown>>();

  constructor(tree: Tree) {
    this.tree = tree;
  }

  /**
   * Runs one request. Looks up its handle immediately, so that requests on a handle keep their
   * order. @throws Refusal, TextError, SftpFormatError
   */
  run(type: number, id: number, body: PacketReader): Promise<Answer> {
    const operation = OPERATIONS.get(type);
    if (!operation)
      return Promise.resolve(statusPacket(id, Status.UNSUPPORTED, 'Operation unsupported'));
    return operation(this, id, body);
  }

  async find(path: string): Promise<Spot> {
    await this.settled(path);
    return this.tree.find(path);
  }

  /** Runs a change of a path after earlier changes. Later requests for the path wait for it. */
  async change<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
    const key = normal(path).join('/');
    const before = this.settled(path);
    const change = before.then(work);
    this.changing.set(key, change);
    try {
      return await change;
    } finally {
      if (this.changing.get(key) === change) this.changing.delete(key);
    }
  }

  /** Waits for changes of a path. Their errors go to their own requests. */
  private async settled(path: string): Promise<void> {
    await this.changing.get(normal(path).join('/'))?.catch(() => undefined);
  }

  /**
   * Converts a path below the root of files to the client's view. The client's `clientPath` is
   * `known` there.
   */
  async clientPathOf(clientPath: string, known: string, path: string): Promise<string> {
    const whole = normal(
      clientPath.startsWith('/') ? clientPath : `${await this.home()}/${clientPath}`,
    );
    const names = normal(known);
    return `/${[...whole.slice(0, whole.length - names.length), ...normal(path)].join('/')}`;
  }

  /** The client's initial folder. */
  home(): Promise<string> {
    return this.tree.home();
  }

  /**
   * Resolves a path of the tree to files. @throws Refusal for a folder of the tree itself, which is
   * read-only
   */
  async remote(path: string): Promise<Extract<Spot, { kind: 'files' }>> {
    await this.settled(path);
    return this.remoteNow(path);
  }

  /** Resolves a path without waiting for pending changes; used inside of a change. */
  async remoteNow(path: string): Promise<Extract<Spot, { kind: 'files' }>> {
    const spot = await this.tree.find(path);
    if (spot.kind === 'folder') throw new Refusal('file_denied');
    return spot;
  }

  /** Resolves two paths on the same server and account. @throws Refusal */
  async both(from: string, to: string) {
    const [one, other] = [await this.remote(from), await this.remote(to)];
    if (one.files !== other.files) throw new Refusal('file_denied');
    return { files: one.files, from: one.path, to: other.path };
  }

  /**
   * Returns the entry at a path. A file that the client is writing appears in its future form,
   * because it has another name on the target.
   */
  async stat(path: string, isFollowed: boolean): Promise<FileEntry> {
    const spot = await this.find(path);
    if (spot.kind === 'folder')
      return {
        name: '/',
        kind: 'folder',
        size: 0,
        mode: 0o555,
        ownerId: 0,
        groupId: 0,
        modifiedAt: 0,
      };
    const written = this.handles.writing(spot.files, spot.path);
    if (written) return entryOf(written);
    return isFollowed ? spot.files.statTarget(spot.path) : spot.files.stat(spot.path);
  }

  /** Closes all handles after the client has disconnected. */
  async end(): Promise<void> {
    const incomplete = new Refusal('file_incomplete');
    await Promise.allSettled(
      this.handles.takeAll().map((handle) => {
        if (handle.kind === 'folder') return handle.reader.close();
        return handle.kind === 'reading'
          ? handle.file.close(incomplete)
          : handle.file.abort(incomplete);
      }),
    );
  }
}

/** Reads a path; SFTP clients send names in UTF-8. */
function pathOf(body: PacketReader): string {
  const bytes = body.string();
  if (bytes.length > MAX_PATH || bytes.includes(0)) throw new Refusal('file_name');
  return decodeName(bytes, 'utf8');
}

/** The entry of a file that is being written. */
function entryOf({ file, mode }: Writing): FileEntry {
  const now = Math.floor(Date.now() / 1000);
  return {
    name: '',
    kind: 'file',
    size: file.offset(),
    mode,
    ownerId: 0,
    groupId: 0,
    modifiedAt: now,
  };
}

/** A reader for a file that is being written. Closing it has no effect on the upload. */
function readerOf(writing: Writing): FileReader {
  const { file } = writing;
  return {
    entry: entryOf(writing),
    read: (offset, length) => file.read(offset, length),
    readPieces: async (offset, length) => [await file.read(offset, length)],
    close: async () => undefined,
  };
}

const ok = (id: number): Buffer => statusPacket(id, Status.OK, 'Success');

const bytesOf = (name: string): Buffer => encodeName(name, 'utf8');

function namesPacket(id: number, entries: readonly FileEntry[]): Buffer {
  const parts = entries.flatMap((entry): Part[] => [
    bytesOf(entry.name),
    bytesOf(longName(entry)),
    { attributes: attributesOf(entry) },
  ]);
  return packetOf(Packet.NAME, id, entries.length, ...parts);
}

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
  return operations.change(path, () => openForWriting(operations, id, path, flags, attributes));
}

async function openForWriting(
  operations: Operations,
  id: number,
  path: string,
  flags: number,
  attributes: Attributes,
): Promise<Buffer> {
  const { files, path: remote } = await operations.remoteNow(path);
  if ((flags & OpenFlag.CREATE) === 0) await files.statTarget(remote);
  const file = await files.upload(remote, {
    overwrite: (flags & OpenFlag.EXCLUSIVE) === 0,
    keepsContent: (flags & OpenFlag.TRUNCATE) === 0,
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
  await handle.file.write(handle.appends ? handle.file.reserve(bytes.length) : offset, bytes);
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

async function openFolder(operations: Operations, id: number, body: PacketReader): Promise<Buffer> {
  const path = pathOf(body);
  operations.handles.checkRoom();
  const spot = await operations.find(path);
  // Reject an unreadable folder now instead of at the first read.
  const reader = new FolderReader(
    spot.kind === 'folder' ? oneBatch(spot.entries) : spot.files.list(spot.path),
  );
  await reader.fill();
  return packetOf(Packet.HANDLE, id, operations.handles.add({ kind: 'folder', reader }));
}

async function readFolder(operations: Operations, id: number, body: PacketReader): Promise<Buffer> {
  const handle = operations.handles.get(body.string());
  if (handle.kind !== 'folder') throw new Refusal('file_kind');
  const entries = await handle.reader.take(MAX_ENTRIES);
  return entries.length === 0
    ? statusPacket(id, Status.EOF, 'End of file')
    : namesPacket(id, entries);
}

async function readLink(operations: Operations, id: number, body: PacketReader): Promise<Buffer> {
  const clientPath = pathOf(body);
  const { files, path } = await operations.remote(clientPath);
  const { linkTarget: below, targetKind } = await files.stat(path);
  if (below === undefined) throw new Refusal('file_kind');
  // Convert an absolute link inside of the root to the client's view.
  const linkTarget =
    below.startsWith('/') && targetKind !== undefined
      ? await operations.clientPathOf(clientPath, path, below)
      : below;
  return packetOf(Packet.NAME, id, 1, bytesOf(linkTarget), bytesOf(linkTarget), { attributes: {} });
}

async function realPath(operations: Operations, id: number, body: PacketReader): Promise<Buffer> {
  const requested = pathOf(body);
  const whole = requested.startsWith('/') ? requested : `${await operations.home()}/${requested}`;
  const path = bytesOf(`/${normal(whole).join('/')}`);
  return packetOf(Packet.NAME, id, 1, path, path, { attributes: {} });
}

async function rename(
  operations: Operations,
  id: number,
  from: string,
  to: string,
  overwrite: boolean,
): Promise<Buffer> {
  const paths = await operations.both(from, to);
  await paths.files.rename(paths.from, paths.to, { overwrite });
  return ok(id);
}

async function extended(operations: Operations, id: number, body: PacketReader): Promise<Buffer> {
  const name = body.string().toString('latin1');
  if (name === 'posix-rename@openssh.com')
    return rename(operations, id, pathOf(body), pathOf(body), true);
  if (name === 'limits@openssh.com') {
    const limits = [256 * 1024, MAX_READ, MAX_READ, MAX_HANDLES].map((limit) => ({
      uint64: limit,
    }));
    return packetOf(Packet.EXTENDED_REPLY, id, ...limits);
  }
  if (name === 'statvfs@openssh.com') {
    const spot = await operations.find(pathOf(body));
    const volume = spot.kind === 'files' ? await spot.files.volume(spot.path) : undefined;
    if (volume)
      return packetOf(
        Packet.EXTENDED_REPLY,
        id,
        ...Array.from({ length: volume.length / 4 }, (_, at) => volume.readUInt32BE(at * 4)),
      );
  }
  if (name === 'fsync@openssh.com') {
    const handle = operations.handles.get(body.string());
    // A file open for reading has nothing to flush.
    if (handle.kind !== 'writing' || (await handle.file.flush())) return ok(id);
  }
  // Rejects hard links too: one could keep the content of a file outside of the root.
  return statusPacket(id, Status.UNSUPPORTED, 'Operation unsupported');
}

/** An operation whose request has only a path. */
const onPath =
  (work: (operations: Operations, path: string) => Promise<void>): Operation =>
  async (operations, id, body) => {
    await work(operations, pathOf(body));
    return ok(id);
  };

const stat =
  (isFollowed: boolean): Operation =>
  async (operations, id, body) =>
    packetOf(Packet.ATTRS, id, {
      attributes: attributesOf(await operations.stat(pathOf(body), isFollowed)),
    });

const OPERATIONS: ReadonlyMap<number, Operation> = new Map<number, Operation>([
  [Packet.OPEN, openFile],
  [Packet.CLOSE, closeHandle],
  [Packet.READ, read],
  [Packet.WRITE, write],
  [Packet.LSTAT, stat(false)],
  [Packet.STAT, stat(true)],
  [Packet.FSTAT, statHandle],
  [Packet.SETSTAT, setPath],
  [Packet.FSETSTAT, setHandle],
  [Packet.OPENDIR, openFolder],
  [Packet.READDIR, readFolder],
  [
    Packet.REMOVE,
    onPath(async (operations, path) => {
      const { files, path: remote } = await operations.remote(path);
      const { kind } = await files.stat(remote);
      if (kind === 'folder') throw new Refusal('file_kind');
      await files.remove(remote, { recursive: false });
    }),
  ],
  [
    Packet.RMDIR,
    onPath(async (operations, path) => {
      const { files, path: remote } = await operations.remote(path);
      const { kind } = await files.stat(remote);
      if (kind !== 'folder') throw new Refusal('file_kind');
      await files.remove(remote, { recursive: false });
    }),
  ],
  [
    Packet.MKDIR,
    async (operations, id, body) => {
      const [path, { mode }] = [pathOf(body), body.attributes()];
      const { files, path: remote } = await operations.remote(path);
      await files.makeFolder(remote, mode);
      return ok(id);
    },
  ],
  [Packet.REALPATH, realPath],
  [Packet.READLINK, readLink],
  // Argument order of OpenSSH: target first.
  [
    Packet.SYMLINK,
    async (operations, id, body) => {
      const [target, path] = [pathOf(body), pathOf(body)];
      const { files, path: remote } = await operations.remote(path);
      await files.makeLink(remote, await withinTree(operations, files, target));
      return ok(id);
    },
  ],
  [
    Packet.RENAME,
    async (operations, id, body) => rename(operations, id, pathOf(body), pathOf(body), false),
  ],
  [Packet.EXTENDED, extended],
]);

/** Converts the target of a link from the client's view to the server's. */
async function withinTree(operations: Operations, files: object, target: string): Promise<string> {
  if (!target.startsWith('/')) return target;
  const spot = await operations.remote(target);
  if (spot.files !== files) throw new Refusal('file_outside');
  return spot.path;
}
