import {
  type Attributes,
  FileType,
  Frames,
  OpenFlag,
  Packet,
  PacketReader,
  type Part,
  type Pieces,
  packetOf,
  type ServerChannel,
  SFTP_VERSION,
  SftpFormatError,
  Status,
} from '@sallyport/ssh';
import { type FileNode, FileProblem, type FileSystem, type TextNode } from './file-system.ts';
import { HOME } from './sample-files.ts';

const MAX_PACKET = 256 * 1024 + 1024;
const MAX_READ = 64 * 1024;
const MAX_HANDLES = 64;
const PROBLEMS: Readonly<Record<string, number>> = {
  'No such file or directory': Status.NO_SUCH_FILE,
  'Permission denied': Status.PERMISSION_DENIED,
};

interface Open {
  readonly path: string;
  /** For a folder: the names that are not sent yet. */
  names?: string[];
}

/**
 * Serves the files of a visit over SFTP, in memory. Bytes that are not UTF-8 are stored next to the
 * text that programs see.
 */
export function serveFiles(channel: ServerChannel, files: FileSystem): void {
  const visit = new FileVisit(files);
  const frames = new Frames(MAX_PACKET, (packet) => {
    const reply = visit.answer(packet);
    if (channel.writable) channel.write(reply);
  });
  channel.on('error', () => undefined);
  channel.on('data', (chunk: Buffer) => {
    try {
      frames.push(chunk);
    } catch (error) {
      if (!(error instanceof SftpFormatError)) throw error;
      channel.end();
    }
  });
  channel.on('end', () => channel.end());
}

class FileVisit {
  private readonly files: FileSystem;
  private readonly handles = new Map<string, Open>();
  private readonly bytes = new WeakMap<
    TextNode,
    { readonly text: string; readonly bytes: Buffer }
  >();
  private nextHandle = 0;

  constructor(files: FileSystem) {
    this.files = files;
  }

  answer(packet: Pieces): Buffer {
    const body = new PacketReader(packet);
    const type = body.byte();
    if (type === Packet.INIT) return packetOf(Packet.VERSION, SFTP_VERSION);
    const id = body.uint32();
    try {
      return this.run(type, id, body);
    } catch (error) {
      if (error instanceof FileProblem)
        return status(id, PROBLEMS[error.message] ?? Status.FAILURE, error.message);
      if (error instanceof SftpFormatError) return status(id, Status.BAD_MESSAGE);
      throw error;
    }
  }

  private run(type: number, id: number, body: PacketReader): Buffer {
    const path = () => this.files.resolve(HOME, body.string().toString());
    switch (type) {
      case Packet.REALPATH: {
        const real = path();
        return packetOf(Packet.NAME, id, 1, Buffer.from(real), Buffer.from(real), {
          attributes: {},
        });
      }
      case Packet.STAT:
      case Packet.LSTAT:
        return packetOf(Packet.ATTRS, id, {
          attributes: attributesOf(this.there(path()), (node) => this.bytesOf(node).length),
        });
      case Packet.FSTAT:
        return packetOf(Packet.ATTRS, id, {
          attributes: attributesOf(
            this.there(this.opened(body).path),
            (node) => this.bytesOf(node).length,
          ),
        });
      case Packet.OPENDIR: {
        const folder = path();
        const node = this.there(folder);
        if (node.kind !== 'folder') throw new FileProblem('Not a directory');
        return this.handle(id, { path: folder, names: [...node.children.keys()] });
      }
      case Packet.READDIR:
        return this.readFolder(id, this.opened(body));
      case Packet.OPEN:
        return this.open(id, path(), body.uint32());
      case Packet.CLOSE:
        this.handles.delete(body.string().toString('latin1'));
        return status(id, Status.OK);
      case Packet.READ: {
        const bytes = this.bytesOf(this.text(this.opened(body).path));
        const offset = body.uint64();
        const piece = bytes.subarray(offset, offset + Math.min(body.uint32(), MAX_READ));
        return piece.length === 0 ? status(id, Status.EOF) : packetOf(Packet.DATA, id, piece);
      }
      case Packet.WRITE: {
        const { path: written } = this.opened(body);
        const offset = body.uint64();
        this.write(written, offset, body.string());
        return status(id, Status.OK);
      }
      case Packet.MKDIR:
        this.files.makeFolder(path());
        return status(id, Status.OK);
      case Packet.REMOVE:
        this.files.remove(path(), false);
        return status(id, Status.OK);
      case Packet.RMDIR:
        return this.removeFolder(id, path());
      case Packet.RENAME:
        return this.rename(id, path(), path());
      case Packet.SETSTAT:
        return this.change(id, path(), body.attributes());
      case Packet.FSETSTAT:
        return this.change(id, this.opened(body).path, body.attributes());
      default:
        return status(id, Status.UNSUPPORTED);
    }
  }

  private there(path: string): FileNode {
    const node = this.files.find(path);
    if (!node) throw new FileProblem('No such file or directory');
    return node;
  }

  private text(path: string): TextNode {
    const node = this.there(path);
    if (node.kind === 'folder') throw new FileProblem('Is a directory');
    return node;
  }

  private bytesOf(node: FileNode): Buffer {
    if (node.kind === 'folder') return Buffer.alloc(0);
    const kept = this.bytes.get(node);
    // A shell program may have changed the text since.
    return kept && kept.text === node.text ? kept.bytes : Buffer.from(node.text);
  }

  private opened(body: PacketReader): Open {
    const open = this.handles.get(body.string().toString('latin1'));
    if (!open) throw new FileProblem('Bad file descriptor');
    return open;
  }

  private handle(id: number, open: Open): Buffer {
    if (this.handles.size >= MAX_HANDLES) throw new FileProblem('Too many open files');
    const name = String(this.nextHandle++);
    this.handles.set(name, open);
    return packetOf(Packet.HANDLE, id, Buffer.from(name));
  }

  private open(id: number, path: string, flags: number): Buffer {
    const node = this.files.find(path);
    if (node?.kind === 'folder') throw new FileProblem('Is a directory');
    if (node && flags & OpenFlag.EXCLUSIVE) throw new FileProblem('File exists');
    if (!node && !(flags & OpenFlag.CREATE)) throw new FileProblem('No such file or directory');
    if (node && !node.isOurs && flags & OpenFlag.WRITE) throw new FileProblem('Permission denied');
    if (!node || flags & OpenFlag.TRUNCATE) this.files.write(path, '', false);
    return this.handle(id, { path });
  }

  private readFolder(id: number, open: Open): Buffer {
    const some = open.names?.splice(0, 100) ?? [];
    if (some.length === 0) return status(id, Status.EOF);
    const entries = some.flatMap((name): Part[] => {
      const node = this.files.find(open.path === '/' ? `/${name}` : `${open.path}/${name}`);
      if (!node) return [];
      const attributes = attributesOf(node, (file) => this.bytesOf(file).length);
      const owner = node.isOurs ? 'demo' : 'root';
      return [
        Buffer.from(name),
        Buffer.from(`-rw-r--r-- 1 ${owner} ${owner} 0 Jan 1 00:00 ${name}`),
        { attributes },
      ];
    });
    return packetOf(Packet.NAME, id, entries.length / 3, ...entries);
  }

  private write(path: string, offset: number, chunk: Buffer): void {
    const before = this.bytesOf(this.text(path));
    const after = Buffer.alloc(
      Math.max(before.length, Math.min(offset, before.length + MAX_PACKET * 16) + chunk.length),
    );
    before.copy(after);
    chunk.copy(after, offset);
    this.put(path, after);
  }

  private put(path: string, bytes: Buffer): void {
    const text = bytes.toString('utf8');
    this.files.write(path, text, false);
    this.bytes.set(this.text(path), { text, bytes });
  }

  private change(id: number, path: string, { size }: Attributes): Buffer {
    const node = this.there(path);
    if (!node.isOurs) throw new FileProblem('Permission denied');
    if (size !== undefined) {
      const before = this.bytesOf(this.text(path));
      if (size > before.length + MAX_PACKET) throw new FileProblem('No space left on device');
      this.put(
        path,
        Buffer.concat([before.subarray(0, size), Buffer.alloc(Math.max(0, size - before.length))]),
      );
    }
    return status(id, Status.OK);
  }

  private removeFolder(id: number, path: string): Buffer {
    const node = this.there(path);
    if (node.kind !== 'folder') throw new FileProblem('Not a directory');
    if (node.children.size > 0) throw new FileProblem('Directory not empty');
    this.files.remove(path, true);
    return status(id, Status.OK);
  }

  private rename(id: number, from: string, to: string): Buffer {
    if (this.files.find(to)) throw new FileProblem('File exists');
    const node = this.there(from);
    if (!node.isOurs) throw new FileProblem('Permission denied');
    const kept = node.kind === 'file' ? this.bytesOf(node) : undefined;
    this.files.copy(from, to);
    this.files.remove(from, true);
    if (kept) this.put(to, kept);
    return status(id, Status.OK);
  }
}

function attributesOf(node: FileNode, sizeOf: (node: FileNode) => number): Attributes {
  const isFolder = node.kind === 'folder';
  const owner = node.isOurs ? 1000 : 0;
  return {
    size: sizeOf(node),
    ownerId: owner,
    groupId: owner,
    mode: isFolder ? FileType.FOLDER | 0o755 : FileType.FILE | 0o644,
    modifiedAt: Math.floor(node.changed.getTime() / 1000),
  };
}

function status(id: number, code: number, message = ''): Buffer {
  return packetOf(Packet.STATUS, id, code, Buffer.from(message), Buffer.from('en'));
}
