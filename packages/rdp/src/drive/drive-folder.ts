import { safeName } from '../clipboard/messages.ts';
import { BlockSpool } from './block-spool.ts';
import { StoredFile } from './stored-file.ts';

/** Reasons for which an operation in the folder fails. */
export type DriveFailure =
  | 'missing'
  | 'exists'
  | 'full'
  | 'notEmpty'
  | 'badName'
  | 'isFolder'
  | 'isFile'
  | 'loop';

export class DriveError extends Error {
  override readonly name = 'DriveError';
  readonly failure: DriveFailure;

  constructor(failure: DriveFailure) {
    super(failure);
    this.failure = failure;
  }
}

export interface DriveLimits {
  /** Maximum bytes of all files. */
  readonly bytes: number;
  /** Maximum number of files and folders. */
  readonly entries: number;
  /** Free bytes of the disk that the folder may still take. */
  freeBytes(): Promise<number>;
}

/** A file or folder. Its name is never a name on the disk. */
export interface DriveNode {
  readonly name: string;
  readonly isFolder: boolean;
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly changedAt: number;
}

interface StoredNode extends DriveNode {
  name: string;
  size: number;
  changedAt: number;
  readonly content: StoredFile;
  readonly children: Map<string, StoredNode>;
  /** Undefined for the root and for deleted nodes. */
  parent: StoredNode | undefined;
}

const MAX_NAME_BYTES = 255;
const MAX_DEPTH = 32;
/** The free space of the disk is asked for again after this growth. */
const CHECKED_BYTES = 4 * 1024 * 1024;
/** Names are found in any case, as on Windows. */
const keyOf = (name: string) => name.normalize('NFC').toLowerCase();

/**
 * A folder that a desktop sees as a drive. Names exist in memory and contents are blocks of one
 * file without a name: no name can leave the folder, be a link, or name a device.
 */
export class DriveFolder {
  readonly #spool: BlockSpool;
  readonly #limits: DriveLimits;
  readonly #root: StoredNode;
  /** Settles when the running work is done. Never rejects. */
  #turns: Promise<void> = Promise.resolve();
  #entries = 0;
  #used = 0;
  /** Growth since the free space of the disk was last known, and that space. */
  #unchecked = Number.POSITIVE_INFINITY;
  #free = 0;
  #isDisposed = false;

  /** The first byte creates a file at `path`, and removes its name. */
  constructor(path: string, limits: DriveLimits) {
    this.#spool = new BlockSpool(path);
    this.#root = this.#node('', true);
    this.#limits = limits;
  }

  get root(): DriveNode {
    return this.#root;
  }

  get usedBytes(): number {
    return this.#used;
  }

  get maxBytes(): number {
    return this.#limits.bytes;
  }

  /** Returns the node of a path; undefined if none. */
  find(path: readonly string[]): DriveNode | undefined {
    let node: StoredNode | undefined = this.#root;
    for (const step of path) node = node?.children.get(keyOf(step));
    return node;
  }

  /** @throws DriveError */
  list(folder: DriveNode): readonly DriveNode[] {
    const { isFolder, children } = this.#stored(folder);
    if (!isFolder) throw new DriveError('isFile');
    return [...children.values()];
  }

  /** Creates an empty file or a folder. @throws DriveError */
  create(path: readonly string[], isFolder: boolean): DriveNode {
    const { parent, name } = this.#place(path);
    if (parent.children.has(keyOf(name))) throw new DriveError('exists');
    if (this.#entries >= this.#limits.entries) throw new DriveError('full');
    const node = this.#node(name, isFolder);
    this.#entries++;
    this.#attach(node, parent);
    return node;
  }

  /** Moves and renames. @throws DriveError */
  rename(target: DriveNode, path: readonly string[], replaces: boolean): void {
    const node = this.#stored(target);
    const { parent, name } = this.#place(path);
    for (let above: StoredNode | undefined = parent; above; above = above.parent)
      if (above === node) throw new DriveError('loop');
    if (node === this.#root) throw new DriveError('badName');
    const present = parent.children.get(keyOf(name));
    if (present && present !== node) {
      if (!replaces || present.isFolder) throw new DriveError('exists');
      this.remove(present);
    }
    node.parent?.children.delete(keyOf(node.name));
    node.name = name;
    this.#attach(node, parent);
  }

  /** Deletes a file or an empty folder. @throws DriveError */
  remove(target: DriveNode): void {
    const node = this.#stored(target);
    if (node.children.size > 0) throw new DriveError('notEmpty');
    if (!node.parent) throw new DriveError('missing');
    node.parent.children.delete(keyOf(node.name));
    node.parent.changedAt = Date.now();
    node.parent = undefined;
    this.#entries--;
    this.#used -= node.size;
    this.#turns = this.#turns.then(() => node.content.drop());
  }

  /** Reads at most `length` bytes; fewer at the end of the file. @throws DriveError */
  read(target: DriveNode, position: number, length: number): Promise<Buffer> {
    return this.#inTurn(target, (node) =>
      node.content.read(position, Math.max(0, Math.min(length, node.size - position))),
    );
  }

  /** @throws DriveError */
  write(target: DriveNode, position: number, bytes: Buffer): Promise<void> {
    return this.#inTurn(target, async (node) => {
      await this.#grow(node, Math.max(node.size, position + bytes.length));
      await node.content.write(position, bytes);
      node.changedAt = Date.now();
    });
  }

  /** Cuts or extends a file. @throws DriveError */
  resize(target: DriveNode, size: number): Promise<void> {
    return this.#inTurn(target, async (node) => {
      if (size < node.size) await node.content.cut(size);
      await this.#grow(node, size);
      node.changedAt = Date.now();
    });
  }

  /** Sets the time of the last change. */
  touch(target: DriveNode, changedAt: number): void {
    this.#stored(target).changedAt = changedAt;
  }

  /** Deletes everything: later operations fail as for missing files. Idempotent. */
  dispose(): Promise<void> {
    this.#isDisposed = true;
    this.#turns = this.#turns.then(() => this.#spool.close());
    return this.#turns;
  }

  /** Runs one work at a time: blocks of a deleted file may become those of another one. */
  #inTurn<Result>(target: DriveNode, work: (node: StoredNode) => Promise<Result>): Promise<Result> {
    const result = this.#turns.then(() => work(this.#file(target)));
    this.#turns = result.then(
      () => undefined,
      () => undefined,
    );
    return result;
  }

  #place(path: readonly string[]): { readonly parent: StoredNode; readonly name: string } {
    const name = path.at(-1);
    if (name === undefined || !isDriveName(name) || path.length > MAX_DEPTH)
      throw new DriveError('badName');
    const parent = this.find(path.slice(0, -1));
    if (!parent?.isFolder) throw new DriveError('missing');
    return { parent: this.#stored(parent), name };
  }

  #attach(node: StoredNode, parent: StoredNode): void {
    node.parent = parent;
    parent.children.set(keyOf(node.name), node);
    parent.changedAt = Date.now();
  }

  /** The node itself, if it still exists. */
  #stored(node: DriveNode): StoredNode {
    const isPresent = isStored(node) && (node === this.#root || node.parent !== undefined);
    if (!isPresent || this.#isDisposed) throw new DriveError('missing');
    return node;
  }

  #file(node: DriveNode): StoredNode {
    const stored = this.#stored(node);
    if (stored.isFolder) throw new DriveError('isFolder');
    return stored;
  }

  async #grow(node: StoredNode, size: number): Promise<void> {
    const growth = size - node.size;
    if (!Number.isSafeInteger(size) || this.#used + growth > this.#limits.bytes)
      throw new DriveError('full');
    // Counted at once: other operations run while the disk answers.
    node.size = size;
    this.#used += growth;
    if (growth <= 0) return;
    this.#unchecked += growth;
    if (this.#unchecked > CHECKED_BYTES) {
      this.#free = await this.#limits.freeBytes();
      this.#unchecked = growth;
    }
    if (this.#unchecked <= this.#free) return;
    this.#unchecked = Number.POSITIVE_INFINITY;
    if (node.parent) this.#used -= growth;
    node.size -= growth;
    throw new DriveError('full');
  }

  #node(name: string, isFolder: boolean): StoredNode {
    const now = Date.now();
    return {
      ...{ name, isFolder, size: 0, createdAt: now, changedAt: now },
      content: new StoredFile(this.#spool),
      children: new Map(),
      parent: undefined,
    };
  }
}

/** Returns true for one step of a path that every system can show. */
export function isDriveName(name: string): boolean {
  return (
    name.length > 0 &&
    Buffer.byteLength(name) <= MAX_NAME_BYTES &&
    !name.includes('\\') &&
    safeName(name) === name
  );
}

const isStored = (node: DriveNode): node is StoredNode => 'children' in node;
