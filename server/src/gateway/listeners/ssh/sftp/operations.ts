import { type Attributes, dataPacketOf, OpenFlag, Packet, type PacketReader, type Part, packetOf, Status } from '../../../../platform/ssh/sftp/packets.ts';
import { lengthOf, type Pieces } from '../../../../platform/ssh/sftp/pieces.ts';
import { Refusal } from '../../../refusal.ts';
import { decodeName, encodeName } from '../../../sessions/files/names.ts';
import type { FileEntry } from '../../../sessions/files/remote-files.ts';
import { attributesOf, longName, statusPacket } from './answers.ts';
import { FolderReader, Handles, oneBatch } from './handles.ts';
import { normal, type Spot, type Tree } from './tree.ts';

/** The most bytes of one read, and entries of one answer about a folder. */
export const MAX_READ = 255 * 1024;
const MAX_ENTRIES = 200;
const MAX_HANDLES = 100;
const MAX_PATH = 4096;
const PERMISSIONS = 0o7777;

/** One packet, whole or in the pieces that it is sent in. */
type Answer = Buffer | Pieces;
type Operation = (operations: Operations, id: number, body: PacketReader) => Promise<Answer>;

/** What the requests of a client do. Each answers with one packet, or refuses. */
export class Operations {
  readonly handles = new Handles();
  private readonly tree: Tree;

  constructor(tree: Tree) {
    this.tree = tree;
  }

  /** Does one request. The handle is looked up at once, so that requests on it are done in their order. @throws Refusal, Said, SftpFormatError */
  run(type: number, id: number, body: PacketReader): Promise<Answer> {
    const operation = OPERATIONS.get(type);
    if (!operation) return Promise.resolve(statusPacket(id, Status.UNSUPPORTED, 'Operation unsupported'));
    return operation(this, id, body);
  }

  find(path: string): Promise<Spot> {
    return this.tree.find(path);
  }

  /** The files and the path behind a path of the tree. @throws Refusal for a folder of the tree, where nothing can be changed */
  async remote(path: string): Promise<Extract<Spot, { kind: 'files' }>> {
    const spot = await this.find(path);
    if (spot.kind === 'folder') throw new Refusal('file_denied');
    return spot;
  }

  /** Both paths on the same server as the same account. @throws Refusal */
  async both(from: string, to: string) {
    const [one, other] = [await this.remote(from), await this.remote(to)];
    if (one.files !== other.files) throw new Refusal('file_denied');
    return { files: one.files, from: one.path, to: other.path };
  }

  /** What is there. */
  async stat(path: string, isFollowed: boolean): Promise<FileEntry> {
    const spot = await this.find(path);
    if (spot.kind === 'folder') return { name: '/', kind: 'folder', size: 0, mode: 0o555, ownerId: 0, groupId: 0, modifiedAt: 0 };
    return isFollowed ? spot.files.statTarget(spot.path) : spot.files.stat(spot.path);
  }

  /** Ends everything that is open, because the client is gone. */
  async end(): Promise<void> {
    const incomplete = new Refusal('file_incomplete');
    await Promise.allSettled(
      this.handles.takeAll().map((handle) => {
        if (handle.kind === 'folder') return handle.reader.close();
        return handle.kind === 'reading' ? handle.file.close(incomplete) : handle.file.abort(incomplete);
      }),
    );
  }
}

/** A path of a client; its names are UTF-8, as SFTP clients send them. */
function pathOf(body: PacketReader): string {
  const bytes = body.string();
  if (bytes.length > MAX_PATH || bytes.includes(0)) throw new Refusal('file_name');
  return decodeName(bytes, 'utf8');
}

const ok = (id: number): Buffer => statusPacket(id, Status.OK, 'Success');

const bytesOf = (name: string): Buffer => encodeName(name, 'utf8');

function namesPacket(id: number, entries: readonly FileEntry[]): Buffer {
  const parts = entries.flatMap((entry): Part[] => [bytesOf(entry.name), bytesOf(longName(entry)), { attributes: attributesOf(entry) }]);
  return packetOf(Packet.NAME, id, entries.length, ...parts);
}

async function openFile(operations: Operations, id: number, body: PacketReader): Promise<Buffer> {
  const [path, flags, attributes] = [pathOf(body), body.uint32(), body.attributes()];
  operations.handles.checkRoom();
  const { files, path: remote } = await operations.remote(path);
  if ((flags & (OpenFlag.WRITE | OpenFlag.APPEND | OpenFlag.CREATE | OpenFlag.TRUNCATE)) === 0) {
    const file = await files.openFile(remote);
    return packetOf(Packet.HANDLE, id, operations.handles.add({ kind: 'reading', file, files, path: remote }));
  }
  if ((flags & OpenFlag.CREATE) === 0) await files.statTarget(remote);
  const file = await files.upload(remote, {
    overwrite: (flags & OpenFlag.EXCLUSIVE) === 0,
    keepsContent: (flags & OpenFlag.TRUNCATE) === 0,
    ...(attributes.mode !== undefined && { mode: attributes.mode & PERMISSIONS }),
  });
  return packetOf(Packet.HANDLE, id, operations.handles.add({ kind: 'writing', file, appends: (flags & OpenFlag.APPEND) !== 0 }));
}

async function closeHandle(operations: Operations, id: number, body: PacketReader): Promise<Buffer> {
  const handle = operations.handles.remove(body.string());
  if (handle.kind === 'folder') await handle.reader.close();
  else if (handle.kind === 'reading') await handle.file.close();
  else await handle.file.complete();
  return ok(id);
}

async function read(operations: Operations, id: number, body: PacketReader): Promise<Answer> {
  const handle = operations.handles.get(body.string());
  const [offset, length] = [body.uint64(), Math.min(body.uint32(), MAX_READ)];
  if (handle.kind === 'folder') throw new Refusal('file_kind');
  const bytes = handle.kind === 'reading' ? await handle.file.readPieces(offset, length) : [await handle.file.read(offset, length)];
  return length > 0 && lengthOf(bytes) === 0 ? statusPacket(id, Status.EOF, 'End of file') : dataPacketOf(id, bytes);
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
  const attributes = handle.kind === 'reading' ? attributesOf(handle.file.entry) : { size: handle.file.offset(), mode: 0o100600 };
  return packetOf(Packet.ATTRS, id, { attributes });
}

/** Owners are the server's business: a client that only wants to set them is refused. */
function settable({ mode, modifiedAt, size }: Attributes) {
  if (mode === undefined && modifiedAt === undefined && size === undefined) throw new Refusal('file_denied');
  return { ...(mode !== undefined && { mode: mode & PERMISSIONS }), ...(modifiedAt !== undefined && { modifiedAt }) };
}

async function setHandle(operations: Operations, id: number, body: PacketReader): Promise<Buffer> {
  const handle = operations.handles.get(body.string());
  const attributes = body.attributes();
  if (handle.kind === 'folder') throw new Refusal('file_kind');
  if (handle.kind === 'reading') await handle.files.setAttributes(handle.path, settable(attributes));
  else {
    await handle.file.setAttributes(settable(attributes));
    if (attributes.size !== undefined) await handle.file.truncate(attributes.size);
  }
  return ok(id);
}

async function setPath(operations: Operations, id: number, body: PacketReader): Promise<Buffer> {
  const [path, attributes] = [pathOf(body), body.attributes()];
  const changes = settable(attributes);
  const { files, path: remote } = await operations.remote(path);
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
  // A folder that cannot be read is refused now, and not when its entries are asked for.
  const reader = new FolderReader(spot.kind === 'folder' ? oneBatch(spot.entries) : spot.files.list(spot.path));
  await reader.fill();
  return packetOf(Packet.HANDLE, id, operations.handles.add({ kind: 'folder', reader }));
}

async function readFolder(operations: Operations, id: number, body: PacketReader): Promise<Buffer> {
  const handle = operations.handles.get(body.string());
  if (handle.kind !== 'folder') throw new Refusal('file_kind');
  const entries = await handle.reader.take(MAX_ENTRIES);
  return entries.length === 0 ? statusPacket(id, Status.EOF, 'End of file') : namesPacket(id, entries);
}

async function readLink(operations: Operations, id: number, body: PacketReader): Promise<Buffer> {
  const { files, path } = await operations.remote(pathOf(body));
  const { linkTarget } = await files.stat(path);
  if (linkTarget === undefined) throw new Refusal('file_kind');
  return packetOf(Packet.NAME, id, 1, bytesOf(linkTarget), bytesOf(linkTarget), { attributes: {} });
}

async function realPath(_operations: Operations, id: number, body: PacketReader): Promise<Buffer> {
  const path = bytesOf(`/${normal(pathOf(body)).join('/')}`);
  return packetOf(Packet.NAME, id, 1, path, path, { attributes: {} });
}

async function rename(operations: Operations, id: number, from: string, to: string, overwrite: boolean): Promise<Buffer> {
  const paths = await operations.both(from, to);
  await paths.files.rename(paths.from, paths.to, { overwrite });
  return ok(id);
}

async function extended(operations: Operations, id: number, body: PacketReader): Promise<Buffer> {
  const name = body.string().toString('latin1');
  if (name === 'posix-rename@openssh.com') return rename(operations, id, pathOf(body), pathOf(body), true);
  if (name === 'limits@openssh.com') {
    const limits = [256 * 1024, MAX_READ, MAX_READ, MAX_HANDLES].map((limit) => ({ uint64: limit }));
    return packetOf(Packet.EXTENDED_REPLY, id, ...limits);
  }
  // Hard links among them: one could keep the content of a file that is outside of the root.
  return statusPacket(id, Status.UNSUPPORTED, 'Operation unsupported');
}

/** The path of a request that only names one. */
const onPath =
  (work: (operations: Operations, path: string) => Promise<void>): Operation =>
  async (operations, id, body) => {
    await work(operations, pathOf(body));
    return ok(id);
  };

const stat =
  (isFollowed: boolean): Operation =>
  async (operations, id, body) =>
    packetOf(Packet.ATTRS, id, { attributes: attributesOf(await operations.stat(pathOf(body), isFollowed)) });

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
  // In the order of OpenSSH: what the link leads to comes first.
  [
    Packet.SYMLINK,
    async (operations, id, body) => {
      const [target, path] = [pathOf(body), pathOf(body)];
      const { files, path: remote } = await operations.remote(path);
      await files.makeLink(remote, await withinTree(operations, files, target));
      return ok(id);
    },
  ],
  [Packet.RENAME, async (operations, id, body) => rename(operations, id, pathOf(body), pathOf(body), false)],
  [Packet.EXTENDED, extended],
]);

/** The target of a link as its server has it: an absolute one begins with the folders of the tree. */
async function withinTree(operations: Operations, files: object, target: string): Promise<string> {
  if (!target.startsWith('/')) return target;
  const spot = await operations.remote(target);
  if (spot.files !== files) throw new Refusal('file_outside');
  return spot.path;
}
