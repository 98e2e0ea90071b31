import type { Charset } from '@sallyport/contract';
import { type Attributes, FileType } from '@sallyport/ssh';
import { MAX_LINKS } from '../../limits.ts';
import type { TargetFiles } from '../../protocols/connector.ts';
import { TargetFileError } from '../../protocols/target-end.ts';
import { Refusal } from '../../refusal.ts';
import type { Listing } from './listing.ts';
import { below, checked, decodeName, follow, join, namesOf } from './paths.ts';

/** A resolved path on the target. */
export interface Place {
  /** Names below the root, without links. */
  readonly names: readonly Buffer[];
  readonly real: Buffer;
  /** Attributes of the file; `undefined` if it does not exist. */
  readonly attributes: Attributes | undefined;
}

/** The folder of a path, and the path that the target has for it. */
interface AskedFolder {
  readonly folder: Buffer;
  /** The time before the question. */
  readonly at: number;
  readonly isAt: Promise<Buffer>;
}

/** Time after a check of a whole path during which `findToRead` checks only the file itself. */
const PROVEN_MS = 1000;

const BACKSLASH = 0x5c;
/** On Linux a name; on Windows the folder itself. */
const PROBE = Buffer.from('\\.');

const FOLDERS: Readonly<Record<string, string>> = { '': '.', '~': '.', home: '.', tmp: '/tmp' };

/**
 * The root of an account's files; no path leads out of it. We check each step of a path and follow
 * links ourselves, so the final path has no links.
 * SFTP cannot open a path without following links. A program on the target can replace a folder by
 * a link between check and use. We therefore check places again after opening them
 * (docs/security-model.md).
 */
export class Boundary {
  /** Path of the root on the target. */
  readonly root: Buffer;
  /** The last folder that the client has listed. */
  listing: Listing | undefined;
  private readonly files: TargetFiles;
  /** The last folder that was inside of the root, and the time before that check. */
  private proven: { readonly folder: Buffer; readonly at: number } | undefined;
  /** True if a backslash is an ordinary character in names on the target. */
  private keepsBackslash: Promise<boolean> | undefined;

  private constructor(files: TargetFiles, root: Buffer) {
    this.files = files;
    this.root = root;
  }

  /**
   * Resolves the root of a setting: `home`, `tmp`, or an absolute path. @throws Refusal when it is
   * not a folder
   */
  static async open(files: TargetFiles, setting: string): Promise<Boundary> {
    try {
      const root = await files.realPath(Buffer.from(FOLDERS[setting] ?? setting));
      const attributes = await files.attributesOf(root, true);
      if (root[0] === 0x2f && isFolder(attributes)) return new Boundary(files, root);
    } catch (error) {
      // Any other refusal of the target: it has no such folder for this account.
      if (!(error instanceof TargetFileError)) throw error;
      if (error.problem === 'lost') throw new Refusal('connect_target_lost');
      if (error.problem === 'broken') throw new Refusal('connect_target_broke');
    }
    throw new Refusal('file_root', { path: setting });
  }

  /** True if the root is `/`. */
  get isWhole(): boolean {
    return this.root.length === 1;
  }

  /**
   * Resolves names. `last` tells if a link at the end is followed.
   * @throws Refusal when the path leads out of the root or a parent folder is missing
   */
  async find(path: readonly Buffer[], last: 'follow' | 'keep'): Promise<Place> {
    if (this.hasBackslash(path)) await this.requireBackslash();
    const resolved = this.files.resolvesLinks ? await this.findResolved(path, last) : undefined;
    if (resolved) return resolved;
    let names = [...path];
    for (let links = 0; links <= MAX_LINKS; links++) {
      const folder = join(this.root, names.slice(0, -1));
      const at = performance.now();
      // The target answers in order, so both questions take one round trip.
      const looking = this.look(names);
      const isAt = this.files.realPath(folder);
      isAt.catch(() => undefined);
      const steps = await looking;
      const index = steps.findIndex(
        (attributes, at) =>
          attributes !== undefined &&
          isLink(attributes) &&
          (last === 'follow' || at < names.length - 1),
      );
      if (index < 0) return this.place(names, steps, { folder, at, isAt });
      names = checked([
        ...(await this.behindLink(names.slice(0, index + 1))),
        ...names.slice(index + 1),
      ]);
      if (this.hasBackslash(names)) await this.requireBackslash();
    }
    throw new Refusal('file_outside');
  }

  /**
   * Like `find`, with two questions at any depth: a path that the target resolves to itself has no
   * links. Returns undefined for other paths.
   */
  private async findResolved(
    names: readonly Buffer[],
    last: 'follow' | 'keep',
  ): Promise<Place | undefined> {
    if (names.length < 2) return undefined;
    const [folder, real] = [join(this.root, names.slice(0, -1)), join(this.root, names)];
    const at = performance.now();
    const resolving = this.files.realPath(folder);
    resolving.catch(() => undefined);
    const attributes = await ifExists(this.files.attributesOf(real, false));
    const isResolved = (await ifExists(resolving))?.equals(folder) === true;
    if (!isResolved || (last === 'follow' && attributes && isLink(attributes))) return undefined;
    this.proven = { folder, at };
    return { names, real, attributes };
  }

  /**
   * Like `find`, for a file that the caller opens for reading and rechecks before any byte passes.
   * Checks only the file itself if its folder was checked a moment ago.
   */
  async findToRead(names: readonly Buffer[]): Promise<Place> {
    if (this.isProven(names)) {
      if (this.hasBackslash(names)) await this.requireBackslash();
      const real = join(this.root, names);
      const attributes = await ifExists(this.files.attributesOf(real, false));
      if (!attributes || !isLink(attributes)) return { names, real, attributes };
    }
    return this.find(names, 'follow');
  }

  /**
   * Returns true if the client has just listed this regular file, in a folder that was checked a
   * moment ago.
   */
  isListedFile(names: readonly Buffer[], charset: Charset): boolean {
    const name = names.at(-1);
    return (
      name !== undefined &&
      this.isProven(names) &&
      this.listing?.hasFile(join(this.root, names.slice(0, -1)), decodeName(name, charset)) === true
    );
  }

  private hasBackslash(names: readonly Buffer[]): boolean {
    return !this.isWhole && names.some((name) => name.includes(BACKSLASH));
  }

  /**
   * Rejects names with a backslash on a target that reads it as a slash, as servers on Windows do:
   * the name `..\file` would lead out of the root. @throws Refusal
   */
  private async requireBackslash(): Promise<void> {
    this.keepsBackslash ??= this.testBackslash();
    if (!(await this.keepsBackslash)) throw new Refusal('file_name');
  }

  private async testBackslash(): Promise<boolean> {
    const probe = join(this.root, [PROBE]);
    const resolving = this.files.realPath(probe).catch((error: unknown) => {
      if (error instanceof TargetFileError) return probe;
      throw error;
    });
    const attributes = await ifExists(this.files.attributesOf(probe, false));
    return attributes === undefined && (await resolving).equals(probe);
  }

  private isProven(names: readonly Buffer[]): boolean {
    const { proven } = this;
    return (
      names.length > 0 &&
      proven !== undefined &&
      performance.now() - proven.at < PROVEN_MS &&
      proven.folder.equals(join(this.root, names.slice(0, -1)))
    );
  }

  /**
   * Checks a place again after opening it; returns its attributes if it still exists.
   * @throws Refusal when it has changed
   */
  async recheck({ names, real }: Place): Promise<Attributes | undefined> {
    const { real: now, attributes } = await this.find(names, 'keep');
    if (!now.equals(real) || (attributes && isLink(attributes))) throw new Refusal('file_outside');
    return attributes;
  }

  /**
   * Rechecks a file that was opened. `resolved` is the answer of a target that resolves
   * links, from after the opening: then the attributes are those from before.
   * @throws Refusal when it has changed
   */
  async recheckOpened(
    place: Place,
    resolved: Promise<Buffer | undefined> | undefined,
  ): Promise<Attributes | undefined> {
    if ((await resolved)?.equals(place.real)) return place.attributes;
    return this.recheck(place);
  }

  /** Resolves the text of a link at `names`; `undefined` if it leads out of the root. */
  async targetOf(names: readonly Buffer[], target: Buffer): Promise<Buffer[] | undefined> {
    const path = namesOf(target);
    if (target[0] !== 0x2f) return follow(names.slice(0, -1), path);
    const inside = below(this.root, target);
    if (inside) return inside;
    // Links above the root can give it other names.
    const real = await ifExists(this.files.realPath(target));
    return real && below(this.root, real);
  }

  private async behindLink(names: readonly Buffer[]): Promise<Buffer[]> {
    const inside = await this.targetOf(names, await this.files.readLink(join(this.root, names)));
    if (!inside) throw new Refusal('file_outside');
    return inside;
  }

  /** Fetches the attributes of each step of a path, in parallel. */
  private look(names: readonly Buffer[]): Promise<(Attributes | undefined)[]> {
    return Promise.all(
      names.map((_name, index) =>
        ifExists(this.files.attributesOf(join(this.root, names.slice(0, index + 1)), false)),
      ),
    );
  }

  private async place(
    names: readonly Buffer[],
    steps: readonly (Attributes | undefined)[],
    { folder, at, isAt }: AskedFolder,
  ): Promise<Place> {
    if (steps.slice(0, -1).some((attributes) => !attributes || !isFolder(attributes)))
      throw new Refusal('file_not_found');
    // The answer of the target counts too: it may have links that it does not report as links.
    if (!below(this.root, await isAt)) throw new Refusal('file_outside');
    this.proven = { folder, at };
    const attributes =
      names.length === 0 ? await this.files.attributesOf(this.root, true) : steps.at(-1);
    return { names, real: join(this.root, names), attributes };
  }
}

/** Returns the answer, or `undefined` if the file does not exist. */
export async function ifExists<Value>(answer: Promise<Value>): Promise<Value | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof TargetFileError && error.problem === 'missing') return undefined;
    throw error;
  }
}

const typeOf = ({ mode = 0 }: Attributes): number => mode & FileType.MASK;
export const isFolder = (attributes: Attributes): boolean => typeOf(attributes) === FileType.FOLDER;
export const isLink = (attributes: Attributes): boolean => typeOf(attributes) === FileType.LINK;
export const isFile = (attributes: Attributes): boolean => typeOf(attributes) === FileType.FILE;
