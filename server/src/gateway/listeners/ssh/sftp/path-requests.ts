import { Packet, type PacketReader, type Part, packetOf, Status } from '@sallyport/ssh';
import { Refusal } from '../../../refusal.ts';
import type { FileEntry, RemoteFiles } from '../../../sessions/files/remote-files.ts';
import {
  attributesOf,
  bytesOf,
  longName,
  ok,
  pathOf,
  type RequestHandler,
  statusPacket,
} from './answers.ts';
import { MAX_READ } from './file-requests.ts';
import { FolderReader, oneBatch } from './handles.ts';
import type { Operations } from './operations.ts';
import { normal } from './tree.ts';

/** Maximum entries per folder answer. */
const MAX_ENTRIES = 200;
const MAX_HANDLES = 100;

function namesPacket(id: number, entries: readonly FileEntry[]): Buffer {
  const parts = entries.flatMap((entry): Part[] => [
    bytesOf(entry.name),
    bytesOf(longName(entry)),
    { attributes: attributesOf(entry) },
  ]);
  return packetOf(Packet.NAME, id, entries.length, ...parts);
}

async function openFolder(operations: Operations, id: number, body: PacketReader): Promise<Buffer> {
  const path = pathOf(body);
  operations.handles.checkRoom();
  const spot = await operations.find(path);
  // Reject an unreadable folder now instead of at the first read.
  const reader = new FolderReader(
    spot.kind === 'folder' ? oneBatch(spot.entries) : withInterrupted(spot.files, spot.path),
  );
  await reader.fill();
  return packetOf(Packet.HANDLE, id, operations.handles.add({ kind: 'folder', reader }));
}

/** Lists a folder. Interrupted uploads of the user stand for their files. */
async function* withInterrupted(
  files: RemoteFiles,
  path: string,
): AsyncGenerator<readonly FileEntry[]> {
  const uploads = await files.interruptedIn(path);
  const parts = new Map(uploads.map((upload) => [upload.partName, upload]));
  const names = new Set(uploads.map(({ name }) => name));
  for await (const batch of files.list(path)) {
    yield uploads.length === 0
      ? batch
      : batch
          .filter(({ name }) => !names.has(name))
          .map((entry) => {
            const { name, size } = parts.get(entry.name) ?? entry;
            return { ...entry, name, size };
          });
  }
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
  body: PacketReader,
  overwrite: boolean,
): Promise<Buffer> {
  const from = pathOf(body);
  const paths = await operations.both(from, pathOf(body));
  await paths.files.rename(paths.from, paths.to, { overwrite });
  return ok(id);
}

async function extended(operations: Operations, id: number, body: PacketReader): Promise<Buffer> {
  const name = body.string().toString('latin1');
  if (name === 'posix-rename@openssh.com') return rename(operations, id, body, true);
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
  (work: (operations: Operations, path: string) => Promise<void>): RequestHandler =>
  async (operations, id, body) => {
    await work(operations, pathOf(body));
    return ok(id);
  };

const stat =
  (isFollowed: boolean): RequestHandler =>
  async (operations, id, body) =>
    packetOf(Packet.ATTRS, id, {
      attributes: attributesOf(await operations.stat(pathOf(body), isFollowed)),
    });

/** Converts the target of a link from the client's view to the server's. */
async function withinTree(operations: Operations, files: object, target: string): Promise<string> {
  if (!target.startsWith('/')) return target;
  const spot = await operations.remote(target);
  if (spot.files !== files) throw new Refusal('file_outside');
  return spot.path;
}

/** Requests that concern folders, links and names. */
export const PATH_REQUESTS: readonly (readonly [number, RequestHandler])[] = [
  [Packet.LSTAT, stat(false)],
  [Packet.STAT, stat(true)],
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
  [Packet.RENAME, async (operations, id, body) => rename(operations, id, body, false)],
  [Packet.EXTENDED, extended],
];
