import { Frames } from '../../../../platform/ssh/sftp/frames.ts';
import {
  type Attributes,
  OpenFlag,
  Packet,
  PacketReader,
  type Part,
  packetOf,
  SFTP_VERSION,
  SftpFormatError,
  Status,
} from '../../../../platform/ssh/sftp/packets.ts';
import { joined, lengthOf, type Pieces } from '../../../../platform/ssh/sftp/pieces.ts';
import { MAX_FOLDER_BATCH, MAX_SFTP_PACKET } from '../../../limits.ts';
import type { FolderEntry, TargetFiles } from '../../connector.ts';
import { TargetFileError } from '../../target-file-error.ts';

/** What every server must be able to send and take in one packet (draft-ietf-secsh-filexfer-02, section 3). */
const COMMON_LENGTH = 32 * 1024;
/** The most that is asked for at once, however much a server offers. */
const MOST_LENGTH = 255 * 1024;
/** The versions of OpenSSH's extensions that are used (its file PROTOCOL). */
const EXTENSIONS = {
  'posix-rename@openssh.com': '1',
  'limits@openssh.com': '1',
  'copy-data': '1',
  'statvfs@openssh.com': '2',
  'fsync@openssh.com': '1',
} as const;
const END: unique symbol = Symbol('end of file');

/** How packets get to the target. */
export interface SftpPipe {
  write(packet: Buffer): void;
  /** The target breaks the rules: the connection has to end. */
  broken(): void;
  /** Ends the connection. */
  close(): void;
}

interface Waiting {
  /** The longest data that was asked for. */
  readonly most: number;
  done(reply: Reply): void;
  failed(error: Error): void;
}

interface Reply {
  readonly type: number;
  readonly body: PacketReader;
}

/** The client's side of SFTP on one channel: any number of requests at once, each answered or refused. */
const STATVFS = 'statvfs@openssh.com';
const FSYNC = 'fsync@openssh.com';
/** Eleven numbers of 64 bits (OpenSSH, PROTOCOL, section 4.4). */
const VOLUME_BYTES = 11 * 8;

export class SftpClient implements TargetFiles {
  readLength = COMMON_LENGTH;
  writeLength = COMMON_LENGTH;
  private readonly pipe: SftpPipe;
  private readonly frames = new Frames(MAX_SFTP_PACKET, (packet) => this.take(packet));
  private readonly waiting = new Map<number, Waiting>();
  private readonly extensions = new Set<string>();
  private greeted: { done(): void; failed(error: Error): void } | undefined;
  private nextId = 0;
  private end: Error | undefined;

  constructor(pipe: SftpPipe) {
    this.pipe = pipe;
  }

  get canReplace(): boolean {
    return this.extensions.has('posix-rename@openssh.com');
  }

  get canCopy(): boolean {
    return this.extensions.has('copy-data');
  }

  /** Agrees on version and limits; to be called once, first. */
  async start(): Promise<void> {
    await new Promise<void>((done, failed) => {
      this.greeted = { done, failed };
      this.pipe.write(packetOf(Packet.INIT, SFTP_VERSION));
    });
    if (this.extensions.has('limits@openssh.com')) await this.readLimits();
  }

  /** Takes bytes of the target. */
  push(chunk: Buffer): void {
    if (this.end) return;
    try {
      this.frames.push(chunk);
    } catch (error) {
      if (!(error instanceof SftpFormatError)) throw error;
      this.ended(new TargetFileError('broken'));
      this.pipe.broken();
    }
  }

  /** The channel is gone: what waits fails. */
  ended(error: Error = new TargetFileError('lost')): void {
    if (this.end) return;
    this.end = error;
    this.greeted?.failed(error);
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    for (const { failed } of waiting) failed(error);
  }

  close(): void {
    this.ended();
    this.pipe.close();
  }

  async realPath(path: Buffer): Promise<Buffer> {
    return this.firstName(await this.ask(Packet.NAME, Packet.REALPATH, path));
  }

  async readLink(path: Buffer): Promise<Buffer> {
    return this.firstName(await this.ask(Packet.NAME, Packet.READLINK, path));
  }

  async attributesOf(path: Buffer, isFollowed: boolean): Promise<Attributes> {
    const { body } = await this.ask(Packet.ATTRS, isFollowed ? Packet.STAT : Packet.LSTAT, path);
    return this.parse(() => body.attributes());
  }

  async attributesOfOpen(handle: Buffer): Promise<Attributes> {
    const { body } = await this.ask(Packet.ATTRS, Packet.FSTAT, handle);
    return this.parse(() => body.attributes());
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

  /** Servers take the two paths in the order of OpenSSH, which is not that of the draft. */
  async makeLink(path: Buffer, target: Buffer): Promise<void> {
    await this.ask(Packet.STATUS, Packet.SYMLINK, target, path);
  }

  async copyData(from: Buffer, to: Buffer): Promise<void> {
    // A length of 0 means up to the end of the file.
    await this.ask(
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
    await this.ask(Packet.STATUS, Packet.EXTENDED, Buffer.from(FSYNC), handle);
    return true;
  }

  private firstName({ body }: Reply): Buffer {
    return this.parse(() => {
      if (body.uint32() < 1) throw new TargetFileError('failed');
      return copyOf(body.string());
    });
  }

  /** Reads an answer; one that is not what its type says is a breach. */
  private parse<Value>(work: () => Value): Value {
    try {
      return work();
    } catch (error) {
      throw error instanceof SftpFormatError ? this.breach() : error;
    }
  }

  private async readLimits(): Promise<void> {
    const { body } = await this.ask(
      Packet.EXTENDED_REPLY,
      Packet.EXTENDED,
      Buffer.from('limits@openssh.com'),
    );
    const [, read, write] = this.parse(
      () => [body.uint64(), body.uint64(), body.uint64()] as const,
    );
    // 0 says that the server does not know a limit.
    if (read > 0) this.readLength = Math.min(read, MOST_LENGTH);
    if (write > 0) this.writeLength = Math.min(write, MOST_LENGTH);
  }

  private async handle(type: number, ...parts: readonly Part[]): Promise<Buffer> {
    const { body } = await this.ask(Packet.HANDLE, type, ...parts);
    const handle = this.parse(() => copyOf(body.string()));
    if (handle.length > 256) throw this.breach();
    return handle;
  }

  /** Asks for an answer of one type. @throws TargetFileError */
  private async ask(expected: number, type: number, ...parts: readonly Part[]): Promise<Reply> {
    const reply = await this.request(0, type, ...parts);
    if (reply === END) throw new TargetFileError('failed');
    if (reply.type !== expected) throw this.breach();
    return reply;
  }

  private async request(
    most: number,
    type: number,
    ...parts: readonly Part[]
  ): Promise<Reply | typeof END> {
    if (this.end) throw this.end;
    const id = this.nextId;
    this.nextId = (this.nextId + 1) % 2 ** 32;
    const reply = await new Promise<Reply>((done, failed) => {
      this.waiting.set(id, { most, done, failed });
      this.pipe.write(packetOf(type, id, ...parts));
    });
    if (reply.type !== Packet.STATUS) return reply;
    const status = this.parse(() => reply.body.uint32());
    if (status === Status.OK) return reply;
    if (status === Status.EOF) return END;
    throw new TargetFileError(REASONS.get(status) ?? 'failed');
  }

  private take(packet: Pieces): void {
    const body = new PacketReader(packet);
    const type = body.byte();
    if (this.greeted) {
      if (type !== Packet.VERSION || body.uint32() < SFTP_VERSION)
        throw new SftpFormatError('no version 3');
      while (!body.isAtEnd) {
        const [name, version] = [
          body.string().toString('latin1'),
          body.string().toString('latin1'),
        ];
        if (
          Object.entries(EXTENSIONS).some(
            ([known, expected]) => known === name && expected === version,
          )
        )
          this.extensions.add(name);
      }
      const { greeted } = this;
      this.greeted = undefined;
      greeted.done();
      return;
    }
    const id = body.uint32();
    const waiting = this.waiting.get(id);
    if (!waiting) throw new SftpFormatError('an answer that nobody waits for');
    // A short answer cannot be longer than a folder's batch; data not longer than what was asked for.
    if (type === Packet.DATA && lengthOf(packet) > waiting.most + 64)
      throw new SftpFormatError('more data than was asked for');
    this.waiting.delete(id);
    waiting.done({ type, body });
  }

  /** The target answered what does not fit the question. */
  private breach(): Error {
    const error = new TargetFileError('broken');
    this.ended(error);
    this.pipe.broken();
    return error;
  }
}

const REASONS: ReadonlyMap<number, 'missing' | 'denied' | 'failed' | 'unsupported' | 'lost'> =
  new Map([
    [Status.NO_SUCH_FILE, 'missing'],
    [Status.PERMISSION_DENIED, 'denied'],
    [Status.UNSUPPORTED, 'unsupported'],
    [Status.NO_CONNECTION, 'lost'],
    [Status.CONNECTION_LOST, 'lost'],
  ]);

/** @throws SftpFormatError */
function entriesIn(body: PacketReader): FolderEntry[] {
  const count = body.uint32();
  if (count > MAX_FOLDER_BATCH) throw new SftpFormatError('too many entries');
  const entries: FolderEntry[] = [];
  for (let index = 0; index < count; index++) {
    const name = copyOf(body.string());
    const longName = body.string().toString('latin1', 0, 256);
    entries.push({ name, longName, attributes: body.attributes() });
  }
  return entries;
}

/** Bytes of their own, so that a small name does not keep the packet in memory. */
function copyOf(bytes: Buffer): Buffer {
  return Buffer.from(bytes);
}
