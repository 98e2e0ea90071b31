import {
  type Attributes,
  joined,
  lengthOf,
  OpenFlag,
  Packet,
  type PacketReader,
  type Part,
  type Pieces,
  SftpFormatError,
} from '@sallyport/ssh';
import { MAX_FOLDER_BATCH, MAX_PATH_BYTES } from '../../../limits.ts';
import type { FolderEntry, LinkOrder, TargetFiles } from '../../connector.ts';
import { TargetFileError } from '../../target-end.ts';
import { END, type Reply, SftpRequests } from './sftp-requests.ts';

/**
 * Bytes that every server must send and accept in one packet (draft-ietf-secsh-filexfer-02, section
 * 3).
 */
const COMMON_LENGTH = 32 * 1024;
/** Maximum bytes per request, even if a server offers more. */
const MAX_LENGTH = 255 * 1024;
/** Minimum bytes per request: a server that wants single bytes would multiply the requests. */
const MIN_LENGTH = 1024;
const STATVFS = 'statvfs@openssh.com';
const FSYNC = 'fsync@openssh.com';
/** Eleven 64-bit numbers (OpenSSH, PROTOCOL, section 4.4). */
const VOLUME_BYTES = 11 * 8;

/** The files of an account over SFTP. Requests run in parallel. */
export class SftpClient extends SftpRequests implements TargetFiles {
  readLength = COMMON_LENGTH;
  writeLength = COMMON_LENGTH;
  linkOrder: LinkOrder | undefined;
  takesAttributes = false;

  get canReplace(): boolean {
    return this.extensions.has('posix-rename@openssh.com');
  }

  get canCopy(): boolean {
    return this.extensions.has('copy-data');
  }

  /** Only the server of OpenSSH, from 8.7 on, is known to resolve links. */
  get resolvesLinks(): boolean {
    return this.extensions.has('expand-path@openssh.com');
  }

  /** Negotiates version and limits. Call once, first. */
  async start(): Promise<void> {
    await this.negotiate();
    // Other servers announce most extensions of OpenSSH and still read the order of the draft.
    if (this.resolvesLinks) this.linkOrder = 'openssh';
    if (this.extensions.has('symlink-order@rjk.greenend.org.uk')) this.linkOrder = 'draft';
    if (this.extensions.has('limits@openssh.com')) await this.readLimits();
  }

  async realPath(path: Buffer): Promise<Buffer> {
    return this.firstName(await this.ask(Packet.NAME, Packet.REALPATH, path));
  }

  async readLink(path: Buffer): Promise<Buffer> {
    return this.firstName(await this.ask(Packet.NAME, Packet.READLINK, path));
  }

  async attributesOf(path: Buffer, isFollowed: boolean): Promise<Attributes> {
    const { body } = await this.ask(Packet.ATTRS, isFollowed ? Packet.STAT : Packet.LSTAT, path);
    return this.parse(() => body.attributes({ clampsSize: true }));
  }

  async attributesOfOpen(handle: Buffer): Promise<Attributes> {
    const { body } = await this.ask(Packet.ATTRS, Packet.FSTAT, handle);
    return this.parse(() => body.attributes({ clampsSize: true }));
  }

  open(path: Buffer, how: 'read' | 'create' | 'change', mode?: number): Promise<Buffer> {
    const flags =
      how === 'read'
        ? OpenFlag.READ
        : OpenFlag.READ |
          OpenFlag.WRITE |
          (how === 'create' ? OpenFlag.CREATE | OpenFlag.EXCLUSIVE : 0);
    return this.handle(Packet.OPEN, path, flags, { attributes: { mode } });
  }

  openFolder(path: Buffer): Promise<Buffer> {
    return this.handle(Packet.OPENDIR, path);
  }

  async closeHandle(handle: Buffer): Promise<void> {
    await this.ask(Packet.STATUS, Packet.CLOSE, handle);
  }

  /** The closing travels with the next request, which saves the target a wake-up for each file. */
  releaseHandle(handle: Buffer): void {
    this.sendWithNext(() => {
      this.closeHandle(handle).catch(() => undefined);
    });
  }

  async read(handle: Buffer, offset: number, length: number): Promise<Buffer> {
    return joined(await this.readPieces(handle, offset, length));
  }

  async readPieces(handle: Buffer, offset: number, length: number): Promise<Pieces> {
    const most = Math.min(length, this.readLength);
    const reply = await this.request(most, Packet.READ, handle, { uint64: offset }, most);
    if (reply === END) return [];
    if (reply.type !== Packet.DATA) throw this.breach();
    const data = this.parse(() => reply.body.pieces());
    if (lengthOf(data) > most) throw this.breach();
    return data;
  }

  async write(handle: Buffer, offset: number, chunk: Buffer): Promise<void> {
    const pieces: Promise<unknown>[] = [];
    for (let at = 0; at < chunk.length; at += this.writeLength) {
      pieces.push(
        this.ask(
          Packet.STATUS,
          Packet.WRITE,
          handle,
          { uint64: offset + at },
          chunk.subarray(at, at + this.writeLength),
        ),
      );
    }
    await Promise.all(pieces);
  }

  async readFolder(handle: Buffer): Promise<FolderEntry[] | undefined> {
    const reply = await this.request(0, Packet.READDIR, handle);
    if (reply === END) return undefined;
    if (reply.type !== Packet.NAME) throw this.breach();
    return this.parse(() => entriesIn(reply.body));
  }

  async setAttributes(path: Buffer, attributes: Attributes): Promise<void> {
    await this.ask(Packet.STATUS, Packet.SETSTAT, path, { attributes });
  }

  async setAttributesOfOpen(handle: Buffer, attributes: Attributes): Promise<void> {
    await this.ask(Packet.STATUS, Packet.FSETSTAT, handle, { attributes });
  }

  async remove(path: Buffer): Promise<void> {
    await this.ask(Packet.STATUS, Packet.REMOVE, path);
  }

  async makeFolder(path: Buffer, mode: number | undefined): Promise<void> {
    await this.ask(Packet.STATUS, Packet.MKDIR, path, { attributes: { mode } });
  }

  async removeFolder(path: Buffer): Promise<void> {
    await this.ask(Packet.STATUS, Packet.RMDIR, path);
  }

  async rename(from: Buffer, to: Buffer): Promise<void> {
    await this.ask(Packet.STATUS, Packet.RENAME, from, to);
  }

  async replace(from: Buffer, to: Buffer): Promise<void> {
    await this.ask(
      Packet.STATUS,
      Packet.EXTENDED,
      Buffer.from('posix-rename@openssh.com'),
      from,
      to,
    );
  }

  async makeLink(path: Buffer, target: Buffer, order: LinkOrder): Promise<void> {
    const paths = order === 'openssh' ? [target, path] : [path, target];
    await this.ask(Packet.STATUS, Packet.SYMLINK, ...paths);
  }

  async copyData(from: Buffer, to: Buffer): Promise<void> {
    // A length of 0 copies up to the end of the file.
    await this.askUnhurried(
      Packet.STATUS,
      Packet.EXTENDED,
      Buffer.from('copy-data'),
      from,
      { uint64: 0 },
      { uint64: 0 },
      to,
      { uint64: 0 },
    );
  }

  async volumeOf(path: Buffer): Promise<Buffer | undefined> {
    if (!this.extensions.has(STATVFS)) return undefined;
    const { body } = await this.ask(
      Packet.EXTENDED_REPLY,
      Packet.EXTENDED,
      Buffer.from(STATVFS),
      path,
    );
    return this.parse(() => body.raw(VOLUME_BYTES));
  }

  async flush(handle: Buffer): Promise<boolean> {
    if (!this.extensions.has(FSYNC)) return false;
    await this.askUnhurried(Packet.STATUS, Packet.EXTENDED, Buffer.from(FSYNC), handle);
    return true;
  }

  private firstName({ body }: Reply): Buffer {
    return this.parse(() => {
      if (body.uint32() < 1) throw new TargetFileError('failed');
      const name = body.string();
      if (name.length > MAX_PATH_BYTES) throw new TargetFileError('failed');
      return copyOf(name);
    });
  }

  private async readLimits(): Promise<void> {
    const { body } = await this.ask(
      Packet.EXTENDED_REPLY,
      Packet.EXTENDED,
      Buffer.from('limits@openssh.com'),
    );
    const [, read, write] = this.parse(
      () => [body.clamped(), body.clamped(), body.clamped()] as const,
    );
    // 0 means an unknown limit.
    if (read > 0) this.readLength = Math.max(MIN_LENGTH, Math.min(read, MAX_LENGTH));
    if (write > 0) this.writeLength = Math.max(MIN_LENGTH, Math.min(write, MAX_LENGTH));
  }

  private async handle(type: number, ...parts: readonly Part[]): Promise<Buffer> {
    const { body } = await this.ask(Packet.HANDLE, type, ...parts);
    const handle = this.parse(() => copyOf(body.string()));
    if (handle.length > 256) throw this.breach();
    return handle;
  }
}

/** @throws SftpFormatError */
function entriesIn(body: PacketReader): FolderEntry[] {
  const count = body.uint32();
  if (count > MAX_FOLDER_BATCH) throw new SftpFormatError('too many entries');
  const entries: FolderEntry[] = [];
  for (let index = 0; index < count; index++) {
    const name = copyOf(body.string());
    const longName = body.string().toString('latin1', 0, 256);
    entries.push({ name, longName, attributes: body.attributes({ clampsSize: true }) });
  }
  return entries;
}

/** A copy: a slice would keep the whole packet in memory. */
function copyOf(bytes: Buffer): Buffer {
  return Buffer.from(bytes);
}
