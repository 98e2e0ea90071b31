import { constants } from 'node:fs';
import {
  chmod,
  type FileHandle,
  lstat,
  lutimes,
  mkdir,
  open,
  readdir,
  readlink,
  realpath,
  rename,
  rmdir,
  stat,
  symlink,
  truncate,
  unlink,
  utimes,
} from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import {
  type Attributes,
  Frames,
  OpenFlag,
  Packet,
  PacketReader,
  type Pieces,
  packetOf,
  type ServerChannel,
  SFTP_VERSION,
  SftpFormatError,
  Status,
} from '@sallyport/ssh';

const MAX_PACKET = 256 * 1024 + 1024;
const CODES: Readonly<Record<string, number>> = {
  ENOENT: Status.NO_SUCH_FILE,
  EACCES: Status.PERMISSION_DENIED,
  EPERM: Status.PERMISSION_DENIED,
};
const POSIX_RENAME = 'posix-rename@openssh.com';

/** Differences from OpenSSH that real servers have. */
export interface SftpBehavior {
  /** Reads the two paths of a link in the order of the draft: the link first. */
  readonly readsDraftOrder?: boolean;
  /** Returns a status code to refuse requests of a type. */
  readonly refuses?: (type: number) => number | undefined;
  /** Returns bytes to send instead of the answer; empty ones for no answer. */
  readonly answers?: (type: number, id: number) => Buffer | undefined;
  /** Reads backslashes as slashes, as on Windows: in all requests, or in all but REALPATH. */
  readonly readsBackslashes?: 'all' | 'files';
  /** Maximum names of one packet. */
  readonly batch?: number;
}

/** Serves local files over SFTP for the test SSH server; relative paths begin at `home`. */
export function serveSftp(
  channel: ServerChannel,
  home: string,
  behavior: () => SftpBehavior = () => ({}),
): void {
  const files = new SftpFiles(home, behavior);
  // Answers keep the order of requests, as in OpenSSH.
  let last: Promise<unknown> = Promise.resolve();
  const frames = new Frames(MAX_PACKET, (packet) => {
    last = last.then(async () => {
      const answer = await files.answer(packet);
      if (channel.writable) channel.write(answer);
    });
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
  channel.on('end', () => void last.then(() => channel.end()));
  channel.once('close', () => void last.then(() => files.close()));
}

function idOf(packet: Pieces): number {
  const body = new PacketReader(packet);
  body.byte();
  return body.uint32();
}

interface Folder {
  readonly path: Buffer;
  readonly names: Buffer[];
}

class SftpFiles {
  private readonly home: string;
  private readonly handles = new Map<string, FileHandle | Folder>();
  private readonly behavior: () => SftpBehavior;
  private nextHandle = 0;

  constructor(home: string, behavior: () => SftpBehavior) {
    this.home = home;
    this.behavior = behavior;
  }

  async answer(packet: Pieces): Promise<Buffer> {
    const body = new PacketReader(packet);
    const type = body.byte();
    const own = this.behavior().answers?.(type, type === Packet.INIT ? 0 : idOf(packet));
    if (own) return own;
    if (type === Packet.INIT)
      return packetOf(Packet.VERSION, SFTP_VERSION, Buffer.from(POSIX_RENAME), Buffer.from('1'));
    const id = body.uint32();
    try {
      return (await this.run(type, id, body)) ?? status(id, Status.OK);
    } catch (error) {
      const { code = '', message } = error as NodeJS.ErrnoException;
      return status(id, CODES[code] ?? Status.FAILURE, message);
    }
  }

  async close(): Promise<void> {
    for (const handle of this.handles.values()) if ('close' in handle) await handle.close();
    this.handles.clear();
  }

  /** Runs one request. Returns its answer, or undefined for success without data. */
  private async run(type: number, id: number, body: PacketReader): Promise<Buffer | undefined> {
    const path = () => this.absolute(body.string());
    const refused = this.behavior().refuses?.(type);
    if (refused !== undefined) return status(id, refused);
    switch (type) {
      case Packet.REALPATH: {
        const name = body.string();
        const isText = this.behavior().readsBackslashes === 'files';
        const real = await resolved(isText ? this.fromHome(name) : this.absolute(name));
        return packetOf(Packet.NAME, id, 1, real, real, { attributes: {} });
      }
      case Packet.STAT:
        return packetOf(Packet.ATTRS, id, { attributes: attributesOf(await stat(path())) });
      case Packet.LSTAT:
        return packetOf(Packet.ATTRS, id, { attributes: attributesOf(await lstat(path())) });
      case Packet.FSTAT:
        return packetOf(Packet.ATTRS, id, {
          attributes: attributesOf(await this.file(body).stat()),
        });
      case Packet.OPENDIR: {
        const folder = path();
        return this.handle(id, { path: folder, names: await readdir(folder, 'buffer') });
      }
      case Packet.READDIR:
        return this.readFolder(id, body);
      case Packet.OPEN: {
        const file = path();
        const flags = body.uint32();
        await requireReadable(file);
        return this.handle(
          id,
          await open(file, flagsOf(flags), (body.attributes().mode ?? 0o666) & 0o7777),
        );
      }
      case Packet.CLOSE: {
        const [name, handle] = this.opened(body);
        this.handles.delete(name);
        if ('close' in handle) await handle.close();
        return undefined;
      }
      case Packet.READ: {
        const file = this.file(body);
        const offset = body.uint64();
        const { bytesRead, buffer } = await file.read(
          Buffer.alloc(Math.min(body.uint32(), MAX_PACKET - 1024)),
          { position: offset },
        );
        return bytesRead === 0
          ? status(id, Status.EOF)
          : packetOf(Packet.DATA, id, buffer.subarray(0, bytesRead));
      }
      case Packet.WRITE: {
        const file = this.file(body);
        const offset = body.uint64();
        const bytes = body.string();
        for (let at = 0; at < bytes.length; )
          at += (await file.write(bytes, at, bytes.length - at, offset + at)).bytesWritten;
        return undefined;
      }
      case Packet.MKDIR: {
        const folder = path();
        await mkdir(folder, (body.attributes().mode ?? 0o777) & 0o7777);
        return undefined;
      }
      case Packet.REMOVE:
        await unlink(path());
        return undefined;
      case Packet.RMDIR:
        await rmdir(path());
        return undefined;
      case Packet.RENAME: {
        const [from, to] = [path(), path()];
        if (await lstat(to).catch(() => undefined))
          return status(id, Status.FAILURE, 'the new name exists');
        await rename(from, to);
        return undefined;
      }
      case Packet.READLINK: {
        const target = await readlink(path(), 'buffer');
        return packetOf(Packet.NAME, id, 1, target, target, { attributes: {} });
      }
      case Packet.SYMLINK: {
        // OpenSSH expects the target first, the reverse of the draft.
        const paths = [Buffer.from(body.string()), Buffer.from(body.string())];
        const [target = '', link] = this.behavior().readsDraftOrder ? paths.reverse() : paths;
        await symlink(target, this.absolute(link ?? Buffer.alloc(0)));
        return undefined;
      }
      case Packet.SETSTAT:
        await change(path(), body.attributes());
        return undefined;
      case Packet.FSETSTAT: {
        const file = this.file(body);
        await changeOpen(file, body.attributes());
        return undefined;
      }
      case Packet.EXTENDED:
        if (body.string().toString() !== POSIX_RENAME) return status(id, Status.UNSUPPORTED);
        await rename(path(), path());
        return undefined;
      default:
        return status(id, Status.UNSUPPORTED);
    }
  }

  /** Names are bytes and never decoded. */
  private absolute(asked: Buffer): Buffer {
    const path = this.behavior().readsBackslashes
      ? Buffer.from(asked.toString('latin1').replaceAll('\\', '/'), 'latin1')
      : asked;
    return this.fromHome(path);
  }

  private fromHome(path: Buffer): Buffer {
    return path[0] === 0x2f
      ? Buffer.from(path)
      : Buffer.concat([Buffer.from(`${this.home}/`), path]);
  }

  private opened(body: PacketReader): [string, FileHandle | Folder] {
    const name = body.string().toString('latin1');
    const handle = this.handles.get(name);
    if (!handle) throw new Error('unknown handle');
    return [name, handle];
  }

  private file(body: PacketReader): FileHandle {
    const [, handle] = this.opened(body);
    if (!('close' in handle)) throw new Error('not a file');
    return handle;
  }

  private handle(id: number, handle: FileHandle | Folder): Buffer {
    const name = String(this.nextHandle++);
    this.handles.set(name, handle);
    return packetOf(Packet.HANDLE, id, Buffer.from(name));
  }

  private async readFolder(id: number, body: PacketReader): Promise<Buffer> {
    const [, folder] = this.opened(body);
    if (!('names' in folder)) throw new Error('not a folder');
    const names = folder.names.splice(0, this.behavior().batch ?? 100);
    if (names.length === 0) return status(id, Status.EOF);
    const entries = [];
    for (const name of names) {
      const facts = await lstat(Buffer.concat([folder.path, Buffer.from('/'), name])).catch(
        () => undefined,
      );
      if (facts) entries.push(name, name, { attributes: attributesOf(facts) });
    }
    return packetOf(Packet.NAME, id, entries.length / 3, ...entries);
  }
}

/**
 * Rejects files that their owner may not read: root could read them, and tests expect the view of
 * an account.
 */
async function requireReadable(file: Buffer): Promise<void> {
  const facts = await stat(file).catch(() => undefined);
  if (facts && (facts.mode & 0o400) === 0)
    throw Object.assign(new Error('not readable'), { code: 'EACCES' });
}

/** Resolves a path as OpenSSH does: its last name may be missing. */
async function resolved(path: Buffer): Promise<Buffer> {
  const missing = async (error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const text = path.toString('latin1');
    const folder = await realpath(Buffer.from(dirname(text), 'latin1'), 'buffer');
    return Buffer.concat([folder, Buffer.from(`/${basename(text)}`, 'latin1')]);
  };
  return realpath(path, 'buffer').catch(missing);
}

function flagsOf(flags: number): number {
  const isReading = (flags & OpenFlag.READ) !== 0;
  const isWriting = (flags & OpenFlag.WRITE) !== 0;
  return (
    (isReading && isWriting
      ? constants.O_RDWR
      : isWriting
        ? constants.O_WRONLY
        : constants.O_RDONLY) |
    (flags & OpenFlag.APPEND ? constants.O_APPEND : 0) |
    (flags & OpenFlag.CREATE ? constants.O_CREAT : 0) |
    (flags & OpenFlag.TRUNCATE ? constants.O_TRUNC : 0) |
    (flags & OpenFlag.EXCLUSIVE ? constants.O_EXCL : 0)
  );
}

async function change(
  path: Buffer,
  { mode, size, accessedAt, modifiedAt }: Attributes,
): Promise<void> {
  if (size !== undefined) await truncate(path, size);
  if (mode !== undefined) await chmod(path, mode & 0o7777);
  if (modifiedAt === undefined) return;
  const isLink = (await lstat(path)).isSymbolicLink();
  await (isLink ? lutimes : utimes)(path, accessedAt ?? modifiedAt, modifiedAt);
}

async function changeOpen(
  file: FileHandle,
  { mode, size, accessedAt, modifiedAt }: Attributes,
): Promise<void> {
  if (size !== undefined) await file.truncate(size);
  if (mode !== undefined) await file.chmod(mode & 0o7777);
  if (modifiedAt !== undefined) await file.utimes(accessedAt ?? modifiedAt, modifiedAt);
}

function attributesOf(facts: Awaited<ReturnType<typeof stat>>): Attributes {
  return {
    size: Number(facts.size),
    ownerId: Number(facts.uid),
    groupId: Number(facts.gid),
    mode: Number(facts.mode),
    accessedAt: Math.floor(Number(facts.atimeMs) / 1000),
    modifiedAt: Math.floor(Number(facts.mtimeMs) / 1000),
  };
}

function status(id: number, code: number, message = ''): Buffer {
  return packetOf(Packet.STATUS, id, code, Buffer.from(message), Buffer.from('en'));
}
