import { setImmediate as turn } from 'node:timers/promises';
import { ByteReader, u32 } from '../byte-reader.ts';
import { DriveError, type DriveFolder, type DriveNode } from './drive-folder.ts';
import {
  folderEntry,
  nodeInformation,
  STATUS,
  STATUS_OF,
  timeFrom,
  volumeInformation,
} from './drive-messages.ts';
import { matchesPattern } from './name-pattern.ts';

/** Kinds of requests (MS-RDPEFS 2.2.1.4). */
const MAJOR = {
  create: 0,
  close: 2,
  read: 3,
  write: 4,
  queryNode: 5,
  setNode: 6,
  queryVolume: 10,
  folder: 12,
  control: 14,
} as const;
const NOTIFY = 2;
/** Access rights that change a file, generic ones included (MS-SMB2 2.2.13.1). */
const CHANGES = 0x5001_0116;
const DISPOSITION = { supersede: 0, open: 1, create: 2, openIf: 3, overwriteIf: 5 } as const;
const OPTION = { folder: 0x01, file: 0x40, deleteOnClose: 0x1000 } as const;
const OPENED = { created: 0, opened: 1, overwritten: 3 } as const;
const SET = { basic: 4, rename: 10, disposition: 13, allocation: 19, endOfFile: 20 } as const;
const MAX_OPEN = 256;
/** Maximum bytes of a read. Servers ask for at most 64 KiB at a time. */
const MAX_READ = 256 * 1024;
/** Maximum bytes of a path: that of Windows. */
const MAX_PATH = 64 * 1024;
/** Maximum characters of a pattern: those of a name. */
const MAX_PATTERN = 255;
/** Milliseconds of a list after which other work of the process has its turn. */
const LIST_MS = 2;
const NOTHING = u32(0);

interface OpenNode {
  readonly node: DriveNode;
  deletes: boolean;
  /** Entries of a running list. */
  entries: (readonly [string, DriveNode])[];
}

export interface DriveAnswer {
  readonly status: number;
  readonly body: Buffer;
}

const answer = (status: number, body: Buffer = NOTHING): DriveAnswer => ({ status, body });

/** Answers the requests of a server for files of the drive, one after the other. */
export class DriveRequests {
  readonly #folder: DriveFolder;
  readonly #open = new Map<number, OpenNode>();
  readonly #changed: () => void;
  #nextId = 1;
  /** True if the desktop may put files into the drive. */
  isWritable: boolean;

  constructor(folder: DriveFolder, isWritable: boolean, changed: () => void) {
    this.#folder = folder;
    this.isWritable = isWritable;
    this.#changed = changed;
  }

  /** Forgets the open files: the server begins again. */
  reset(): void {
    this.#open.clear();
  }

  /**
   * Answers a request after its header; undefined if it stays open for ever.
   * @throws BadPdu for a request that is too short
   */
  async answer(
    fileId: number,
    major: number,
    minor: number,
    reader: ByteReader,
  ): Promise<DriveAnswer | undefined> {
    if (major === MAJOR.folder && minor === NOTIFY) return undefined;
    try {
      return await this.#answer(fileId, major, reader);
    } catch (error) {
      if (error instanceof DriveError) return failed(major, STATUS_OF[error.failure]);
      if (error instanceof Error && 'syscall' in error) return failed(major, STATUS.unsuccessful);
      throw error;
    }
  }

  async #answer(fileId: number, major: number, reader: ByteReader): Promise<DriveAnswer> {
    if (major === MAJOR.create) return this.#create(reader);
    if (major === MAJOR.control) return answer(STATUS.ok);
    if (major === MAJOR.queryVolume) {
      const kind = reader.u32();
      return sized(volumeInformation(kind, this.#folder.maxBytes, this.#folder.usedBytes));
    }
    const file = this.#open.get(fileId);
    if (!file) return failed(major, STATUS.badHandle);
    switch (major) {
      case MAJOR.close:
        this.#open.delete(fileId);
        if (file.deletes && this.isWritable) this.#remove(file.node);
        return answer(STATUS.ok);
      case MAJOR.read:
        return this.#read(file.node, reader);
      case MAJOR.write:
        return this.#write(file.node, reader);
      case MAJOR.queryNode:
        return sized(nodeInformation(file.node, reader.u32()));
      case MAJOR.setNode:
        return this.#set(file, reader);
      case MAJOR.folder:
        return this.#list(file, reader);
      default:
        return failed(major, STATUS.unsupported);
    }
  }

  async #create(reader: ByteReader): Promise<DriveAnswer> {
    const access = reader.u32();
    reader.bytes(16);
    const disposition = reader.u32();
    const options = reader.u32();
    const path = readPath(reader.bytes(reader.u32()));
    if (this.#open.size >= MAX_OPEN) return failed(MAJOR.create, STATUS.tooManyOpen);
    let node = this.#folder.find(path);
    const isNew = node === undefined;
    const overwrites =
      !isNew && disposition !== DISPOSITION.open && disposition !== DISPOSITION.openIf;
    const changes =
      isNew || overwrites || (access & CHANGES) !== 0 || (options & OPTION.deleteOnClose) !== 0;
    if (isNew && (disposition === DISPOSITION.open || disposition === 4))
      return failed(MAJOR.create, STATUS.missing);
    if (!isNew && disposition === DISPOSITION.create) return failed(MAJOR.create, STATUS.exists);
    // Servers open folders with every right only to list them.
    if (
      changes &&
      !this.isWritable &&
      !(node?.isFolder && !overwrites && (options & OPTION.deleteOnClose) === 0)
    )
      return failed(MAJOR.create, STATUS.denied);
    node ??= this.#folder.create(path, (options & OPTION.folder) !== 0);
    if (!node.isFolder && (options & OPTION.folder) !== 0)
      return failed(MAJOR.create, STATUS.isFile);
    if (node.isFolder && ((options & OPTION.file) !== 0 || overwrites))
      return failed(MAJOR.create, STATUS.isFolder);
    if (overwrites) await this.#folder.resize(node, 0);
    if (isNew || overwrites) this.#changed();
    const id = this.#nextId++ & 0x7fff_ffff;
    this.#open.set(id, { node, deletes: (options & OPTION.deleteOnClose) !== 0, entries: [] });
    const opened = isNew ? OPENED.created : overwrites ? OPENED.overwritten : OPENED.opened;
    return answer(STATUS.ok, Buffer.concat([u32(id), Buffer.from([opened])]));
  }

  async #read(node: DriveNode, reader: ByteReader): Promise<DriveAnswer> {
    const length = reader.u32();
    const position = readPosition(reader);
    const bytes = await this.#folder.read(node, position, Math.min(length, MAX_READ));
    return sized(bytes);
  }

  async #write(node: DriveNode, reader: ByteReader): Promise<DriveAnswer> {
    const length = reader.u32();
    const position = readPosition(reader);
    reader.bytes(20);
    const bytes = reader.bytes(length);
    if (!this.isWritable) return failed(MAJOR.write, STATUS.denied);
    await this.#folder.write(node, position, bytes);
    this.#changed();
    return answer(STATUS.ok, Buffer.concat([u32(length), Buffer.alloc(1)]));
  }

  async #set(file: OpenNode, reader: ByteReader): Promise<DriveAnswer> {
    const kind = reader.u32();
    const length = reader.u32();
    reader.bytes(24);
    const body = new ByteReader(reader.bytes(Math.min(length, reader.left)));
    if (!this.isWritable) return failed(MAJOR.setNode, STATUS.denied);
    if (kind === SET.basic) {
      body.bytes(16);
      const time = timeFrom(body.bytes(8).readBigUInt64LE());
      if (time !== undefined) this.#folder.touch(file.node, time);
    } else if (kind === SET.endOfFile) await this.#folder.resize(file.node, readPosition(body));
    else if (kind === SET.disposition) this.#mark(file, body.left === 0 || body.u8() !== 0);
    else if (kind === SET.rename) {
      const replaces = body.u8() !== 0;
      body.u8();
      this.#folder.rename(file.node, readPath(body.bytes(body.u32())), replaces);
    } else if (kind !== SET.allocation) return failed(MAJOR.setNode, STATUS.unsupported);
    this.#changed();
    return answer(STATUS.ok, u32(length));
  }

  /** Marks a file for deletion at its close. @throws DriveError for a folder with entries */
  #mark(file: OpenNode, deletes: boolean): void {
    if (deletes && file.node.isFolder && this.#folder.list(file.node).length > 0)
      throw new DriveError('notEmpty');
    file.deletes = deletes;
  }

  async #list(file: OpenNode, reader: ByteReader): Promise<DriveAnswer> {
    const kind = reader.u32();
    const isFirst = reader.u8() !== 0;
    const length = reader.u32();
    reader.bytes(23);
    if (isFirst) {
      const pattern = wideText(reader.bytes(length)).split('\\').at(-1) ?? '';
      if (pattern.length > MAX_PATTERN) throw new DriveError('badName');
      file.entries = await this.#matching(file.node, pattern);
    }
    const [next] = file.entries.splice(0, 1);
    if (next) return sized(folderEntry(next[1], next[0], kind));
    const status = isFirst ? STATUS.missing : STATUS.noMoreFiles;
    return answer(status, Buffer.concat([NOTHING, Buffer.alloc(1)]));
  }

  /** Returns the entries of a folder that fit a pattern. */
  async #matching(folder: DriveNode, pattern: string): Promise<OpenNode['entries']> {
    const all = [
      ['.', folder] as const,
      ['..', folder] as const,
      ...this.#folder.list(folder).map((node) => [node.name, node] as const),
    ];
    const matching: OpenNode['entries'] = [];
    let until = performance.now() + LIST_MS;
    for (const entry of all) {
      if (matchesPattern(entry[0], pattern)) matching.push(entry);
      if (performance.now() < until) continue;
      await turn();
      until = performance.now() + LIST_MS;
    }
    return matching;
  }

  #remove(node: DriveNode): void {
    try {
      this.#folder.remove(node);
      this.#changed();
    } catch (error) {
      // Closing a file always succeeds: it was deleted before, or has entries.
      if (!(error instanceof DriveError)) throw error;
    }
  }
}

/** A failure, with as many bytes as readers of the answer expect. */
function failed(major: number, status: number): DriveAnswer {
  return answer(status, major === MAJOR.create ? Buffer.alloc(5) : NOTHING);
}

const sized = (body: Buffer | undefined): DriveAnswer =>
  body ? answer(STATUS.ok, Buffer.concat([u32(body.length), body])) : answer(STATUS.unsupported);

/** The steps of a path; xrdp separates some by `/`. No step may be dots. @throws DriveError */
function readPath(bytes: Buffer): string[] {
  if (bytes.length > MAX_PATH) throw new DriveError('badName');
  const steps = wideText(bytes).split(/[\\/]/);
  const path = steps.filter((step) => step !== '');
  if (path.some((step) => /^\.+$/.test(step))) throw new DriveError('badName');
  return path;
}

/** Text without its terminator. */
function wideText(bytes: Buffer): string {
  if (bytes.length % 2 !== 0) throw new DriveError('badName');
  return bytes.toString('utf16le').replace(/\0+$/, '');
}

/** @throws DriveError above the sizes that a number holds exactly */
function readPosition(reader: ByteReader): number {
  const position = reader.bytes(8).readBigUInt64LE();
  if (position > BigInt(Number.MAX_SAFE_INTEGER)) throw new DriveError('full');
  return Number(position);
}
